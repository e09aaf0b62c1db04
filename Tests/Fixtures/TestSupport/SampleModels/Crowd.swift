import ObjectGraph

/// Two states of a store of the students model, with a save of 1,000 objects between them that inserts, updates and
/// deletes. A process killed during the save must leave one of them.
public enum Crowd {
  /// Creates the first state, 300 students, and saves it.
  public static func fill(_ context: ManagedObjectContext) throws {
    for number in 0..<300 { try insert(number, context) }
    try context.save()
  }

  /// Changes the first state into the second, without saving: 100 students are deleted, 200 have other texts, 700 are
  /// new.
  public static func change(_ context: ManagedObjectContext) throws {
    for (number, student) in try students(context).enumerated() {
      if number < 100 { try context.delete(student) } else { student.studentDes = text(number, "changed") }
    }
    for number in 300..<1_000 { try insert(number, context) }
  }

  /// The content of a store, student by student.
  public static func lines(_ context: ManagedObjectContext) throws -> [String] {
    try students(context).map { "\($0.studentId) \($0.studentDes ?? "-")" }
  }

  /// The content of a store in the first and in the second state.
  public static var states: (first: [String], second: [String]) {
    (
      (0..<300).map { "\(id($0)) \(text($0, "made"))" },
      (100..<300).map { "\(id($0)) \(text($0, "changed"))" } + (300..<1_000).map { "\(id($0)) \(text($0, "made"))" }
    )
  }

  private static func students(_ context: ManagedObjectContext) throws -> [Student] {
    try context.fetch(FetchRequest<Student>(sortedBy: [SortKey("studentId")]))
  }

  private static func insert(_ number: Int, _ context: ManagedObjectContext) throws {
    let student = try context.insert(Student.self)
    student.studentId = id(number)
    student.studentName = "Student \(number)"
    student.studentDes = text(number, "made")
  }

  private static func id(_ number: Int) -> String { "S\(1_000 + number)" }

  /// Returns a text that is long enough to make a save slow.
  private static func text(_ number: Int, _ word: String) -> String {
    String(repeating: "\(word) \(number) ", count: 100)
  }
}
