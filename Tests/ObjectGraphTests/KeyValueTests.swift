import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 22: properties by name and by path, and typed ones.
@Suite struct KeyValueTests {
  @Test("22: an attribute of every type takes its Swift values and gives them back", arguments: Stack.types)
  func everyType(_ type: StoreType) throws {
    let stack = try Stack(type, model: try Everything.model())
    let values: [(key: String, value: any ManagedValue & Equatable)] = [
      ("small", Int16.min), ("medium", Int32.max), ("large", Int64.min), ("flag", true), ("amount", 0.1),
      ("ratio", Float(0.1)), ("text", "O'Brien \"日本\""), ("moment", Date(timeIntervalSinceReferenceDate: 1.5)),
      ("bytes", Data([0, 255])), ("unique", UUID()), ("link", try #require(URL(string: "https://example.org/a?b=c"))),
    ]
    let item = try stack.context.insert("Item")
    for (key, value) in values { try item.setValue(value, forKey: key) }
    try stack.context.save()
    func check(_ item: ManagedObject) throws {
      for (key, value) in values { try checkEqual(try item.value(forKey: key), value, key) }
    }
    try check(item)
    let context = try stack.forgetful()
    let stored = try #require(try context.fetch(FetchRequest<ManagedObject>("Item")).first)
    try check(stored)
    for (key, _) in values { try stored.setValue(nil, forKey: key) }
    try context.save()
    let later = try stack.forgetful()
    let empty = try #require(try later.fetch(FetchRequest<ManagedObject>("Item")).first)
    for (key, _) in values { #expect(try empty.value(forKey: key) == nil, "\(key)") }
  }

  private func checkEqual<Value: Equatable>(_ found: Any?, _ value: Value, _ key: String) throws {
    #expect(try #require(found as? Value, "\(key) is \(String(describing: found))") == value)
  }

  @Test("22: an unknown key and a value of another type are errors that name entity and key")
  func errors() throws {
    let stack = try Stack(model: try Everything.model())
    let item = try stack.context.insert("Item")
    #expect(
      errorText { try item.value(forKeyPath: "nickname.text") }
        == "entity 'Item' has no property 'nickname' of the kind asked for")
    let wrong: [(String, Any)] = [
      ("small", "1"), ("small", Int32.max), ("medium", Int64.max), ("large", 1.5), ("flag", 2), ("flag", "true"),
      ("amount", "1"), ("text", 5), ("text", Data()), ("bytes", "x"), ("moment", "today"), ("unique", Data(count: 15)),
      ("link", 5), ("text", item), ("small", [1]), ("owner", "Ada"), ("owner", Set([item])), ("parts", item),
      ("owner", item), ("parts", Set([item])),
    ]
    for (key, value) in wrong {
      let type = Everything.attributes.first { $0.name == key }.map { "\($0.type)" } ?? ""
      let text = try #require(errorText { try item.setValue(value, forKey: key) })
      #expect(text.hasPrefix("Item.\(key) takes \(type)"), "\(text)")
      #expect(try item.value(forKey: key) == nil || key == "parts")
    }
    #expect(try item.value(forKey: "parts") as? Set<ManagedObject> == [])
    // Smaller types fit into larger ones, whole numbers into fractions.
    for (key, value) in [("large", Int16(3)), ("amount", 3), ("ratio", 3), ("moment", 3.0)] as [(String, Any)] {
      try item.setValue(value, forKey: key)
    }
    #expect(try item.value(forKey: "amount") as? Double == 3)
  }

  @Test("22: paths over to-one and to-many relationships", arguments: Stack.types)
  func paths(_ type: StoreType) throws {
    let stack = try Stack(type)
    let student = try stack.context.student("S1")
    #expect(try student.value(forKeyPath: "student_class.classNames") == nil)
    student.schoolClass = try stack.context.schoolClass(1, "7B")
    student.courses = [try stack.context.course(1, "Music"), try stack.context.course(2, "Physics")]
    _ = try stack.context.student("S2").setValue(student.schoolClass, forKey: "student_class")
    for _ in 1...2 {
      #expect(try student.value(forKey: "studentId") as? String == "S1")
      #expect(try student.value(forKeyPath: "student_class.classNames") as? String == "7B")
      // In some order.
      func texts(_ path: String) throws -> [String]? { (try student.value(forKeyPath: path) as? [String])?.sorted() }
      #expect(try texts("student_class.class_students.studentId") == ["S1", "S2"])
      #expect(try texts("student_course.courseName") == ["Music", "Physics"])
      #expect(try student.value(forKey: "student_class") as? SchoolClass === student.schoolClass)
      #expect(try student.value(forKey: "student_course") as? Set<ManagedObject> == Set(student.courses))
      try stack.context.save()
      try stack.context.refreshAllObjects()
    }
  }
}
