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
    let student = try #require(try stack.context.fetch(FetchRequest<Student>(limit: 1)).first)
    let error = try #require(throws: ObjectGraphError.self) { try mistake.attempt(student) }
    for word in mistake.words { #expect("\(error)".contains(word), "\(error)") }
    #expect(!stack.context.hasChanges)
    #expect(try Graph(stack.context) == before)
    #expect(try Graph(stack.otherContext()) == before)
    return error
  }
}
