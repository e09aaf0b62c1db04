import Foundation
import ObjectGraph
import TestSupport
import Synchronization

/// A fault found by the stress test.
struct StressFailure: Error, CustomStringConvertible {
  let description: String
}

/// A context on its queue that changes the same students as the other workers. The first two workers each have a
/// separate property, of which no change may be lost.
final class Worker: @unchecked Sendable {
  // Sendable because all other mutable state is used on the context's queue.

  let context: ManagedObjectContext
  private let number: Int
  private let key: (WritableKeyPath<Student, String?> & Sendable)?
  private var students: [Student] = []
  private var classes: [SchoolClass] = []
  private var courses: [Course] = []
  /// Students of this worker alone.
  private var own: [Student] = []
  private var step = 0
  /// The unsaved values, by the student's index.
  private var unsaved: [Int: String] = [:]
  /// The saved values.
  private(set) var texts: [Int: String] = [:]
  private(set) var saves = 0
  private(set) var merges = 0
  /// The number of merges while changes were unsaved.
  private(set) var mergesIntoChanges = 0
  private let failure = Mutex<(any Error)?>(nil)

  init(_ number: Int, _ coordinator: PersistentStoreCoordinator) throws {
    self.number = number
    key = number == 0 ? \Student.studentDes : number == 1 ? \Student.studentPwd : nil
    context = ManagedObjectContext(coordinator)
    context.name = "worker \(number)"
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.performAndWait {
      students = try context.fetch(FetchRequest<Student>(sortedBy: [SortKey("studentId")]))
      classes = try context.fetch(FetchRequest<SchoolClass>(sortedBy: [SortKey("classId")]))
      courses = try context.fetch(FetchRequest<Course>(sortedBy: [SortKey("courseId")]))
    }
  }

  /// Merges the saves of another worker, on this worker's queue.
  func follow(_ other: Worker) {
    _ = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didSaveNotification, object: other.context, queue: nil
    ) { [self] notification in
      guard let changes = SaveChanges(notification) else { return }
      context.perform { [self] in
        catching {
          merges += 1
          if !unsaved.isEmpty { mergesIntoChanges += 1 }
          try context.mergeChanges(fromContextDidSave: changes)
          try checkUnsaved()
        }
      }
    }
  }

  /// Works until the end, or until a failure.
  func work(until end: ContinuousClock.Instant) {
    while ContinuousClock.now < end, failure.withLock({ $0 == nil }) {
      context.performAndWait { catching { try change() } }
    }
    context.performAndWait { catching { try save() } }
  }

  /// - Throws: The first failure of the work.
  func finish() throws {
    context.performAndWait {}
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private func catching(_ body: () throws -> Void) {
    do { try body() } catch { failure.withLock { $0 = $0 ?? error } }
  }

  // MARK: - Steps

  private func change() throws {
    step += 1
    let index = Int.random(in: students.indices)
    var student = students[index]
    let text = "\(number): \(step)"
    switch Int.random(in: 0..<10) {
    case 0..<4:
      guard let key else {
        own.randomElement()?.studentDes = text
        return
      }
      student[keyPath: key] = text
      unsaved[index] = text
    case 4 where number.isMultiple(of: 2): student.schoolClass = classes.randomElement()
    case 4:
      // One half of the workers moves students between classes, the other half between courses.
      let course = courses[Int.random(in: courses.indices)]
      student.courses = student.courses.symmetricDifference([course])
    case 5:
      let made = try context.insert(Student.self)
      made.studentId = "own \(number) \(step)"
      made.studentName = "Ada"
      made.schoolClass = classes.randomElement()
      own.append(made)
    case 6: if !own.isEmpty { try context.delete(own.remove(at: Int.random(in: own.indices))) }
    case 7:
      let request = FetchRequest<Student>(where: Property("studentId").begins(with: "own"))
      for found in try context.fetch(request) { _ = (found.studentName, found.schoolClass?.classNames) }
    case 8: for found in classes[Int.random(in: classes.indices)].students { _ = found.studentId }
    default: try save()
    }
  }

  private func checkUnsaved() throws {
    guard let key else { return }
    for (index, text) in unsaved where students[index][keyPath: key] != text {
      throw StressFailure(description: "\(context.name): a merge took '\(text)' away")
    }
  }

  private func save() throws {
    try checkUnsaved()
    try context.save()
    saves += 1
    texts.merge(unsaved) { $1 }
    unsaved = [:]
  }

  // MARK: - At the end

  /// Returns the students in the context, including the other workers' changes.
  func shown() throws -> [String] {
    try context.performAndWait {
      let alone = own.map(\.studentId)
      let known = Set(students).union(own)
      guard try context.fetch(FetchRequest<Student>()).filter(known.contains).count == known.count else {
        throw StressFailure(description: "\(context.name): students are missing")
      }
      if let key {
        for (index, text) in texts where students[index][keyPath: key] != text {
          throw StressFailure(description: "\(context.name): '\(text)' was saved and is lost")
        }
      }
      return try students.map(Worker.line) + alone.sorted()
    }
  }

  static func line(_ student: Student) throws -> String {
    let schoolClass = student.schoolClass
    guard schoolClass?.students.contains(student) ?? true, student.courses.allSatisfy({ $0.students.contains(student) })
    else { throw StressFailure(description: "\(student.studentId): an inverse is missing") }
    let courses = student.courses.map(\.courseId).sorted()
    return "\(student.studentId) \(student.studentDes ?? "-") \(student.studentPwd ?? "-") "
      + "\(schoolClass.map { "\($0.classId)" } ?? "-") \(courses)"
  }
}
