import ObjectGraph
import Testing
import TestSupport

/// Semantic 9 where values and references are at their limits: what is expected is written down, and both the store
/// and a context that looks at the objects itself have to find it.
@Suite struct PredicateEdgeTests {
  let stack: Stack
  private let memory: ManagedObjectContext
  private var held: [ManagedObject] = []

  init() throws {
    stack = try Stack(model: try Everything.model())
    memory = stack.otherContext()
  }

  /// Saves items with one attribute set, named `0`, `1`, … by their notes.
  private mutating func items(_ key: String, _ values: [Value]) throws {
    try Everything.save(values, of: key, in: stack.context)
    held = try Everything.touch(memory)
  }

  /// The notes of the items found, joined.
  private func find(
    _ predicate: FetchPredicate, sortedBy order: [SortKey] = [], _ variables: [String: Operand] = [:]
  ) throws -> String {
    let found = try [stack.otherContext(), memory].map { context in
      try context.notes(predicate, sortedBy: order, variables).joined()
    }
    #expect(found[0] == found[1], "in memory: \(predicate)")
    return found[0]
  }

  @Test("9: whole numbers and fractions are compared exactly, beyond 2^53 too")
  mutating func numbers() throws {
    try items("large", [.integer(1 << 53), .integer((1 << 53) + 1), .integer(.max), .integer(.min), .null])
    let large = Property("large")
    #expect(try find(large == 0x1p53) == "0")
    #expect(try find(large > 0x1p53) == "12")
    #expect(try find(large < 0x1p63) == "0123")
    #expect(try find(large >= 0x1p63) == "")
    #expect(try find(large <= -0x1p63) == "3")
    #expect(try find(large < -Double.infinity) == "")
    #expect(try find(large.isIn([0x1p53, 1.5])) == "0")
    #expect(try find(large != 0.5) == "01234")
    // No value is what NaN is for SQLite, so for all.
    #expect(try find(large == Double.nan) == "4")
    #expect(try find(!(large < Double.nan)) == "01234")
  }

  @Test("9: what cannot be compared is refused, and the sentence says why")
  mutating func refusals() throws {
    try items("text", ["a"])
    let owner = try stack.context.insert("Owner")
    try stack.context.save()
    func refused(
      _ predicate: FetchPredicate = .constant(true), sortedBy order: [SortKey] = [],
      variables: [String: Operand] = [:], because word: String, line: SourceLocation = #_sourceLocation
    ) {
      let error = #expect(throws: ObjectGraphError.self, sourceLocation: line) {
        try find(predicate, sortedBy: order, variables)
      }
      #expect("\(error as Any)".contains(word), "\(error as Any)", sourceLocation: line)
    }
    let (text, large, own) = (Property("text"), Property("large"), Property("owner"))
    refused(Property("nickname") == 1, because: "'Item' has no property 'nickname'")
    refused(Property("owner.nickname") == 1, because: "'Owner' has no property 'nickname'")
    refused(Property.any("tags.nickname") == 1, because: "'Tag' has no property 'nickname'")
    refused(text == 5, because: "'text' of Item is of type string")
    refused(large == "x", because: "large")
    refused(own == 5, because: "is an object")
    refused(Property("twin") == owner, because: "an object of Owner")
    refused(text == owner, because: "an object of Owner")
    refused(own.compare(.less, .object(owner.objectID)), because: "neither less nor greater")
    refused(large.contains("x"), because: "is not text")
    refused(Property("tags.word") == "x", because: "use Property.any")
    refused(Property.any("owner.name") == "x", because: "without 'any'")
    refused(Property("unique") == [UInt8](repeating: 0, count: 15), because: "uuid")
    refused(text.compare(.equal, .variable("x")), because: "$x")
    refused(text.compare(.equal, .variable("x")), variables: ["x": .list([])], because: "one value")
    refused(
      text.compare(.equal, .variable("x")), variables: ["x": .value(5)], because: "'text' of Item is of type string")
    refused(text.compare(.in, .variable("x")), variables: ["x": .value("a")], because: "must be a list")
    refused(
      large.compare(.between, .variable("x")), variables: ["x": .list([.value(1)])], because: "'between' takes two")
    refused(own.compare(.equal, .variable("x")), variables: ["x": .value(5)], because: "is an object")
    refused(
      Property("twin").compare(.in, .variable("x")), variables: ["x": .list([.object(owner.objectID)])],
      because: "an object of Owner")
    #expect(throws: ObjectGraphError.self) { try find(Property("text").compare(.in, .value("a"))) }
    #expect(throws: ObjectGraphError.self) { try find(Property("text").compare(.equal, .list([]))) }
    #expect(throws: ObjectGraphError.self) { try find(Property("large").compare(.between, .list([.value(1)]))) }
    var deep = Property("large") == 1
    for _ in 0..<1_000 { deep = !deep }
    #expect(throws: ObjectGraphError.self) { try find(deep) }
    // Order by what is no single value.
    for path in ["owner", "tags.word", "SELF"] {
      refused(sortedBy: [SortKey(path)], because: "cannot sort Item by '\(path)'")
    }
    refused(sortedBy: [SortKey("nothing")], because: "'Item' has no property 'nothing'")
    refused(sortedBy: [SortKey("owner.name.x")], because: "'Owner' has no property 'name'")
  }

  @Test("9: an object of another store is no object of this one, though the keys are the same")
  func objectsOfOtherStores() throws {
    let second = try stack.coordinator.addPersistentStore(
      .sqlite, at: stack.directory.appendingPathComponent("second.db"))
    let context = stack.context
    func pair(_ note: String, in store: PersistentStore?) throws -> (item: ManagedObject, owner: ManagedObject) {
      let owner = try context.insert("Owner")
      let item = try context.insert("Item", ["note": note, "owner": owner])
      if let store { for object in [item, owner] { context.assign(object, to: store) } }
      return (item, owner)
    }
    let (first, other) = (try pair("first", in: nil), try pair("other", in: second))
    let new = try context.insert("Owner")
    try context.save()
    let unsaved = try context.insert("Owner")
    func notes(_ predicate: FetchPredicate) throws -> [String] { try stack.otherContext().notes(predicate) }
    #expect(
      first.owner.objectID.uriRepresentation.lastPathComponent
        == other.owner.objectID.uriRepresentation.lastPathComponent)
    #expect(try notes(Property("owner") == first.owner) == ["first"])
    #expect(try notes(Property("owner").isIn([other.owner.objectID])) == ["other"])
    #expect(try notes(Property.object == other.item) == ["other"])
    #expect(Set(try notes(Property("owner") != new)) == ["first", "other"])
    #expect(try notes(Property("owner") == unsaved) == [])
    // The results of both stores are sorted together, and counted.
    let request = FetchRequest<ManagedObject>("Item", sortedBy: [SortKey("note", ascending: false)], limit: 1)
    let found = try stack.otherContext().fetch(request).map(\.objectID)
    #expect(found == [other.item.objectID])
    request.fetchOffset = 1
    request.fetchLimit = 0
    #expect(try stack.otherContext().count(for: request) == 1)
  }
}
