import ObjectGraph
import TestSupport
import Testing

extension Student {
  fileprivate var context: ManagedObjectContext { get throws { try #require(managedObjectContext) } }
}

/// A mistake of a program with a student of a school, and the words that its error contains.
struct Mistake: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let words: [String]
  let attempt: @Sendable (Student) throws -> Void

  init(_ description: String, _ words: String..., attempt: @escaping @Sendable (Student) throws -> Void) {
    testDescription = description
    self.words = words
    self.attempt = attempt
  }

  private static func prefetch(_ path: String, _ student: Student) throws {
    let request = FetchRequest<Student>()
    request.relationshipKeyPathsForPrefetching = [path]
    _ = try student.context.fetch(request)
  }

  static let unknown = [
    Mistake("value", "Students", "nope") { _ = try $0.value(forKey: "nope") },
    Mistake("set value", "Students", "nope") { try $0.setValue(1, forKey: "nope") },
    Mistake("path", "Classes", "nope") { _ = try $0.value(forKeyPath: "student_class.nope") },
    Mistake("path over to-many", "Courses", "nope") { _ = try $0.value(forKeyPath: "student_course.nope") },
    Mistake("path beyond an attribute", "Students.studentName", "nope") {
      _ = try $0.value(forKeyPath: "studentName.nope")
    },
    Mistake("empty path", "Students", "''") { _ = try $0.value(forKeyPath: "") },
    Mistake("attribute", "Students", "nope") { _ = try $0.entity.attribute("nope") },
    Mistake("a relationship taken for an attribute", "Students", "student_class") {
      _ = try $0.entity.attribute("student_class")
    },
    Mistake("an attribute taken for a relationship", "Students", "studentName") {
      _ = try $0.entity.relationship("studentName")
    },
    Mistake("prefetching", "Students", "nope") { try prefetch("nope", $0) },
    Mistake("prefetching of an attribute", "Students", "studentName") { try prefetch("studentName", $0) },
    Mistake("prefetching with a path", "Classes", "nope") { try prefetch("student_class.nope", $0) },
    Mistake("fetch for an entity", "Nope") { _ = try $0.context.fetch(FetchRequest<ManagedObject>("Nope")) },
    Mistake("insert into an entity", "Nope") { _ = try $0.context.insert("Nope") },
    Mistake("insert of a class", "HomeAddress") { _ = try $0.context.insert(HomeAddress.self) },
  ]

  static let wrong = [
    Mistake("something unknown for a text", "Students.studentName", "string", "Range") {
      try $0.setValue(1..<2, forKey: "studentName")
    },
    Mistake("object of another entity", "Students.student_class", "Classes", "Students") {
      try $0.setValue($0, forKey: "student_class")
    },
    Mistake("object of another entity in a set", "Students.student_course", "Courses", "Students") {
      try $0.setValue(Set<ManagedObject>([$0]), forKey: "student_course")
    },
    Mistake("many taken for one", "Students.student_course", "a set of objects") {
      _ = try $0.object($0.entity.relationship("student_course"))
    },
    Mistake("one taken for many", "Students.student_class", "an object") {
      _ = try $0.objects($0.entity.relationship("student_class"))
    },
    Mistake("many set to one", "Students.student_course", "a set of objects") {
      try $0.set($0.entity.relationship("student_course"), to: $0.context.fetch(FetchRequest<Course>()).first)
    },
    Mistake("one set to many", "Students.student_class", "an object") {
      try $0.set($0.entity.relationship("student_class"), to: Set($0.context.fetch(FetchRequest<SchoolClass>())))
    },
    Mistake("one more where there can be one", "Students.student_class", "an object") {
      try $0.add($0.context.fetch(FetchRequest<SchoolClass>())[2], to: $0.entity.relationship("student_class"))
    },
    Mistake("one less where there can be one", "Students.student_class", "an object") {
      try $0.remove($0.context.fetch(FetchRequest<SchoolClass>())[1], from: $0.entity.relationship("student_class"))
    },
    Mistake("an attribute's own setter", "Students.studentName", "string", "5") {
      try $0.set($0.entity.attribute("studentName"), to: .integer(5))
    },
  ]
}
