import Foundation
import ObjectGraph
import SampleModels
import Testing

/// Semantics 1 to 10 of the object graph: the context, identity, change tracking, keys, versions, fetching.
@Suite struct CoreSemanticsTests {
  @Test("1: a context is a scratch pad, and a save is one transaction")
  func scratchPad() throws {
    let stack = try Stack()
    for number in 1...100 { _ = try stack.context.student("S\(number)") }
    #expect(try stack.otherContext().count(for: FetchRequest<Student>()) == 0)
    stack.clearStatements()
    try stack.context.save()
    #expect(stack.statements.filter { $0 == "COMMIT" }.count == 1)
    #expect(stack.statements.filter { $0.hasPrefix("INSERT INTO ZSTUDENTS") }.count == 100)
    #expect(try stack.otherContext().count(for: FetchRequest<Student>()) == 100)
  }

  @Test("2: one object for one ID in a context")
  func uniquing() throws {
    let stack = try Stack()
    let student = try stack.context.student("S1")
    student.schoolClass = try stack.context.schoolClass(1)
    try stack.context.save()
    let other = stack.otherContext()
    let first = try #require(try other.fetch(FetchRequest<Student>()).first)
    let second = try #require(try other.fetch(FetchRequest<Student>()).first)
    let walked = try #require(first.schoolClass?.students.first)
    #expect(first === second)
    #expect(first === walked)
    #expect(first !== student)
    #expect(first.objectID == student.objectID)
  }
}
