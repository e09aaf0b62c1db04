import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 22: an error of a property's setter stays until the property is set to something valid.
@Suite struct KeptErrorTests {
  @Test("22: every save throws what a property refused, until it is set to something valid", arguments: Stack.types)
  func setAgain(_ type: StoreType) throws {
    let stack = try Stack(type)
    let context = stack.context
    let student = try context.student("S1")
    student["studentDes"] = 5
    student["studentPwd"] = Date()
    student.studentName = "Grace"
    for _ in 0..<3 {
      #expect(errorText { try context.save() }?.contains("studentDes") == true)
      #expect(try stack.otherContext().studentCount() == 0)
    }
    student.studentDes = "five"
    // The other property is still wrong.
    #expect(errorText { try context.save() }?.contains("studentPwd") == true)
    student["studentPwd"] = 6
    #expect(throws: ObjectGraphError.self) { try context.save() }
    // Values that are set by name are set as well.
    try student.setValue(nil, forKey: "studentPwd")
    try context.save()
    let saved = try #require(try stack.otherContext().fetch(FetchRequest<Student>()).first)
    #expect(saved.studentDes == "five" && saved.studentPwd == nil && saved.studentName == "Grace")
  }

  @Test("22: relationships keep what they refused, too")
  func relationships() throws {
    let stack = try Stack()
    let (context, other) = (stack.context, stack.otherContext())
    let (student, stranger) = (try context.student("S1"), try other.schoolClass(1))
    student.schoolClass = stranger
    student.courses = [try other.course(1)]
    for _ in 0..<2 { #expect(throws: ObjectGraphError.self) { try context.save() } }
    student.schoolClass = nil
    #expect(throws: ObjectGraphError.self) { try context.save() }
    student.courses = []
    try context.save()
    #expect(try stack.otherContext().studentCount() == 1)
  }

  @Test("22: a rollback, a reset, a refresh and a deletion take back what was refused; a merge does not")
  func reverted() throws {
    let stack = try Stack()
    let context = stack.context
    let student = try context.savedStudent("S1")
    func refuse() {
      student["studentDes"] = 5
      #expect(throws: ObjectGraphError.self) { try context.save() }
    }
    refuse()
    context.rollback()
    try context.save()
    refuse()
    try context.refresh(student, mergeChanges: true)
    #expect(throws: ObjectGraphError.self) { try context.save() }
    try context.refreshAllObjects()
    #expect(throws: ObjectGraphError.self) { try context.save() }
    try context.refresh(student, mergeChanges: false)
    try context.save()
    // Another object is not set right by this one.
    let second = try context.student("S2")
    refuse()
    second.studentDes = "valid"
    #expect(throws: ObjectGraphError.self) { try context.save() }
    try context.delete(student)
    try context.save()
    #expect(try stack.otherContext().fetch(FetchRequest<Student>()).map(\.studentId) == ["S2"])
    second["studentDes"] = 5
    context.reset()
    try context.save()
  }

  @Test("22: a failed read fails one save, which writes nothing; a rollback takes back an unknown key that was set")
  func reads() throws {
    let stack = try Stack()
    let student = try stack.context.student("S1")
    for key in ["studentName", "student_class", "nope"] {
      student.studentDes = key
      #expect(student[key] as Int == 0)
      let error = #expect(throws: ObjectGraphError.self) { try stack.context.save() }
      #expect("\(error as Any)".contains("Students") && "\(error as Any)".contains(key), "\(error as Any)")
      #expect(try stack.otherContext().students().allSatisfy { $0.studentDes != key })
      try stack.context.save()
      #expect(try stack.otherContext().students().map(\.studentDes) == [key])
    }
    student.studentDes = "taken back"
    student["nope"] = 5
    for _ in 0..<2 { #expect(throws: ObjectGraphError.self) { try stack.context.save() } }
    stack.context.rollback()
    try stack.context.save()
    #expect(try stack.otherContext().students().map(\.studentDes) == ["nope"])
  }
}
