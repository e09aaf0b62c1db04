import ObjectGraph
import TestSupport
import Testing

/// Semantic 9: the statements of fetches.
@Suite struct FetchingTests {
  @Test("9: values are bound, never spliced, wherever they stand")
  func boundValues() throws {
    let stack = try Stack(model: try Everything.model())
    let owner = try stack.context.insert("Owner")
    try stack.context.save()
    let text = "qzj'; DROP TABLE ZITEM; --"
    let property = Property("text")
    let predicates: [FetchPredicate] = [
      property == text, property != text, property.isIn([text, "qzj2"]), property > text, property.between(text, text),
      property.contains(text), property.begins(with: text), Property("large") == 987_654_321,
      Property("amount") < 9876.54321, Property("bytes") == [UInt8]([0x98, 0x76, 0x54, 0x32, 0x10]),
      Property.any("tags.word") == text, Property("owner.name") == text, Property("owner") == owner,
      property.compare(.equal, .variable("v")), property.compare(.in, .variable("l")),
    ]
    let request = FetchRequest<ManagedObject>("Item", limit: 98765, offset: 9876)
    request.variables = ["v": .value(.string(text)), "l": .list([.value(.string(text))])]
    for predicate in predicates {
      request.predicate = predicate
      stack.clearStatements()
      #expect(try stack.context.fetch(request).isEmpty)
      let sql = try #require(stack.statementTexts.first)
      #expect(stack.statementTexts.count == 1 && sql.contains("?"))
      #expect(!sql.contains("'") && !sql.contains("qzj") && !sql.contains("9876"), "\(sql)")
      if predicate != (Property("owner") == owner) {
        #expect(["qzj", "9876", "x'"].contains { stack.statements[0].contains($0) }, "\(stack.statements[0])")
      }
    }
    // The table is still there.
    #expect(try stack.context.count(for: FetchRequest<ManagedObject>("Item")) == 0)
  }
}
