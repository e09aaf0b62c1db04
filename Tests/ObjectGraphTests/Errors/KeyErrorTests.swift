import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Names that the model does not have, and values that a property does not take: typed errors that name entity and
/// key, after which everything is as before.
@Suite struct KeyErrorTests {
  @Test("Unknown keys and entities are named", arguments: StoreType.allCases, Mistake.unknown)
  func unknown(_ type: StoreType, _ mistake: Mistake) throws {
    switch try check(mistake, type) {
    case .unknownKey, .unknownEntity: break
    case let error: Issue.record("\(error)")
    }
  }

  @Test("Values of a wrong type are refused with entity and key", arguments: StoreType.allCases, Mistake.wrong)
  func wrongType(_ type: StoreType, _ mistake: Mistake) throws {
    switch try check(mistake, type) {
    case .wrongType, .invalidRequest: break
    case let error: Issue.record("\(error)")
    }
  }

  /// Makes the mistake, checks what its error names, and that nothing has changed.
  private func check(_ mistake: Mistake, _ type: StoreType) throws -> ObjectGraphError {
    let stack = try Stack(type)
    try School.fill(stack.context)
    let before = try Graph(stack.context)
    let error = try #require(throws: ObjectGraphError.self) { try mistake.attempt(stack.context) }
    for word in mistake.words { #expect("\(error)".contains(word), "\(error)") }
    #expect(!stack.context.hasChanges)
    #expect(try Graph(stack.context) == before)
    #expect(try Graph(stack.otherContext()) == before)
    return error
  }

  @Test(
    "Accessors that cannot throw leave their error to the save, which writes nothing", arguments: StoreType.allCases)
  func accessors(_ type: StoreType) throws {
    let stack = try Stack(type)
    try School.fill(stack.context)
    let before = try Graph(stack.context)
    let student = try #require(try stack.context.fetch(FetchRequest<Student>()).first)
    let mistakes: [(key: String, () -> Void)] = [
      ("nope", { let _: String = student["nope"] }),
      ("nope", { student["nope"] = 5 }),
      ("studentName", { student["studentName"] = 5 }),
      ("studentName", { #expect(student["studentName"] as Int == 0) }),
      ("student_class", { let _: String = student["student_class"] }),
    ]
    for (key, mistake) in mistakes {
      student.studentDes = "changed"
      mistake()
      let error = try #require(throws: ObjectGraphError.self) { try stack.context.save() }
      #expect("\(error)".contains("Students") && "\(error)".contains(key), "\(error)")
      #expect(try Graph(stack.otherContext()) == before)
      stack.context.rollback()
    }
    // A rollback has taken back every mistake: the next save writes.
    student.studentDes = "changed"
    try stack.context.save()
    #expect(try Graph(stack.otherContext()) != before)
  }
}
