import ObjectGraph
import Testing

/// Semantic 9: IN with more values than SQLite allows parameters, of every type, in every store and in memory.
@Suite struct LongListTests {
  /// Items with one attribute set, named by their notes.
  private func stack(_ type: StoreType, _ key: String, _ values: [Value]) throws -> Stack {
    let stack = try Stack(type, model: try Everything.model())
    try Everything.save(values, of: key, in: stack.context)
    return stack
  }

  @Test("9: 250,000 values, in the predicate and in a variable", arguments: [StoreType.sqlite, .inMemory])
  func quarterOfAMillion(_ type: StoreType) throws {
    let stack = try stack(type, "large", [.integer(-5), .integer(249_999), .integer(250_000), .null])
    let values = (0..<250_000).map { Operand.value(.integer($0)) }
    let (fixed, variable) = (
      Property("large").compare(.in, .list(values)), Property("large").compare(.in, .variable("list"))
    )
    #expect(try stack.otherContext().notes(fixed) == ["1"])
    #expect(try stack.otherContext().notes(!fixed) == ["0", "2", "3"])
    #expect(try stack.otherContext().notes(variable, ["list": .list(values)]) == ["1"])
    #expect(try stack.otherContext().notes(variable, ["list": .list([.value(250_000)])]) == ["2"])
    // Objects that were changed are looked at one by one.
    let changed = stack.otherContext()
    let items = try changed.fetch(FetchRequest<ManagedObject>("Item"))
    for item in items { try item.setValue(Int64(7), forKey: "medium") }
    #expect(try changed.notes(fixed) == ["1"])
    // Objects by their IDs, those that do not exist among them.
    let last = try #require(items.last)
    let ids = try (1...40_000).map { key in
      let uri = last.objectID.uriRepresentation.deletingLastPathComponent().appendingPathComponent("p\(key)")
      return try #require(stack.coordinator.managedObjectID(forURIRepresentation: uri))
    }
    #expect(try stack.otherContext().notes(Property("SELF").isIn(ids)) == ["0", "1", "2", "3"])
    #expect(try stack.otherContext().notes(Property("SELF").isIn(ids.dropFirst(3))) == ["3"])
  }

  @Test("9: a long list finds what a short one finds, whatever the type", arguments: Stack.types)
  func types(_ type: StoreType) throws {
    let lists: [(key: String, values: [Value])] = [
      ("small", Everything.integers.map { .integer($0) }),
      ("large", (Everything.integers + Everything.largeIntegers).map { .integer($0) }),
      ("flag", [0, 1]), ("amount", Everything.doubles.map { .double($0) }), ("ratio", [0.5, 1, -1]),
      ("text", Everything.texts.map { .string($0) }), ("moment", Everything.doubles.map { .double($0) }),
      ("bytes", [.binary([]), .binary([0]), .binary([0, 1]), .binary(Array("ab".utf8))]),
      ("unique", Everything.uuids.map(\.stored)), ("link", Everything.links.map { .string($0) }),
    ]
    for (key, values) in lists {
      let stack = try stack(type, key, values + [.null])
      let changed = stack.otherContext()
      for item in try changed.fetch(FetchRequest<ManagedObject>("Item")) {
        try item.set(try item.entity.attribute(key), to: try item.value(of: try item.entity.attribute(key)))
        try item.setValue("x", forKey: "like")
      }
      // Every second value, and nil, which nothing is equal to.
      let half = values.enumerated().filter { $0.offset % 2 == 0 }.map { Operand.value($0.element) } + [.value(.null)]
      let padded = Array(repeating: half, count: 2_000 / half.count).flatMap(\.self)
      func predicate(_ list: [Operand]) -> FetchPredicate { Property(key).compare(.in, .list(list)) }
      for context in [stack.otherContext(), changed] {
        let found = try context.notes(predicate(half))
        let request = FetchRequest<ManagedObject>("Item", where: predicate(padded))
        #expect(try context.count(for: request) == found.count, "\(key)")
        #expect(!found.isEmpty && found.count < values.count, "\(key)")
        #expect(try context.notes(predicate(padded)) == found, "\(key)")
        #expect(try context.notes(Property(key).compare(.in, .variable("list")), ["list": .list(padded)]) == found)
      }
    }
  }

  @Test("9: lists of changing length, many lists and many comparisons in one predicate", arguments: Stack.types)
  func many(_ type: StoreType) throws {
    let stack = try stack(type, "large", [1, 600, 60_000])
    let findings: [(Int, [String])] = [
      (0, []), (1, []), (4, ["0"]), (700, ["0", "1"]), (4, ["0"]), (60_001, ["0", "1", "2"]),
    ]
    let isListed = Property("large").compare(.in, .variable("list"))
    for (count, found) in findings {
      let list = Operand.list((0..<count).map { .value(.integer(Int64($0))) })
      #expect(try stack.otherContext().notes(isListed, ["list": list]) == found)
    }
    let comparisons = FetchPredicate.or((0..<5_000).map { Property("large") == $0 })
    #expect(try stack.otherContext().notes(comparisons) == ["0", "1"])
    #expect(try stack.otherContext().notes(!comparisons && Property("large") != 7) == ["2"])
    let lists = (0..<600).map { start in Property("large").isIn((0..<100).map { Int64(start * 100 + $0) }) }
    #expect(try stack.otherContext().notes(.or(lists)) == ["0", "1"])
  }
}
