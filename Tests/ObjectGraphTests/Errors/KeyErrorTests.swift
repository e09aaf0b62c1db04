import ObjectGraph
import TestSupport
import Testing

/// Names that the model does not have, and values that a property does not take: typed errors that name entity and
/// key, after which everything is as before.
@Suite struct KeyErrorTests {
  @Test(
    "Unknown keys and entities, and values of a wrong type, are refused with entity and key",
    arguments: StoreType.allCases, Mistake.unknown + Mistake.wrong)
  func refused(_ type: StoreType, _ mistake: Mistake) throws {
    let stack = try Stack(type)
    try School.fill(stack.context)
    let before = try Graph(stack.context)
    let student = try #require(try stack.context.fetch(FetchRequest<Student>(limit: 1)).first)
    let error = try #require(throws: ObjectGraphError.self) { try mistake.attempt(student) }
    for word in mistake.words { #expect("\(error)".contains(word), "\(error)") }
    #expect(!stack.context.hasChanges)
    #expect(try Graph(stack.context) == before)
    #expect(try Graph(stack.otherContext()) == before)
    let isUnknown = Mistake.unknown.contains { $0.testDescription == mistake.testDescription }
    switch error {
    case .unknownKey, .unknownEntity: #expect(isUnknown)
    case .wrongType, .invalidRequest: #expect(!isUnknown)
    default: Issue.record("\(error)")
    }
  }
}
