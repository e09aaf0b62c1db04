import Foundation
import ObjectGraph
import Testing

/// Semantic 9 where values, joins and lists are at their limits: what is expected is written down, and both the store
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
    for (number, value) in values.enumerated() {
      let item = try stack.context.insert("Item")
      try item.set(try item.entity.attribute("note"), to: .string("\(number)"))
      try item.set(try item.entity.attribute(key), to: value)
    }
    try save()
  }

  private mutating func save() throws {
    try stack.context.save()
    for entity in stack.model.entities {
      for object in try memory.fetch(FetchRequest<ManagedObject>(entity.name)) {
        try object.set(entity.attributes[0], to: try object.value(of: entity.attributes[0]))
        held.append(object)
      }
    }
  }

  /// The notes of the items found, joined.
  private func find(
    _ predicate: FetchPredicate, sortedBy order: [SortKey] = [], _ variables: [String: Operand] = [:]
  ) throws -> String {
    let request = FetchRequest<ManagedObject>("Item", where: predicate, sortedBy: order)
    request.variables = variables
    let found = try [stack.otherContext(), memory].map { context in
      try context.fetch(request).map { try $0.value(forKey: "note") as? String ?? "?" }.joined()
    }
    #expect(found[0] == found[1], "in memory: \(predicate)")
    return found[0]
  }

  private func find(
    _ format: String, _ arguments: Any?..., variables: [String: Operand] = [:]
  ) throws -> String {
    try find(try FetchPredicate(format: format, argumentArray: arguments), variables)
  }

  @Test("9: whole numbers and fractions are compared exactly, beyond 2^53 too")
  mutating func numbers() throws {
    try items("large", [.integer(1 << 53), .integer((1 << 53) + 1), .integer(.max), .integer(.min), .null])
    #expect(try find("large == %@", 0x1p53) == "0")
    #expect(try find("large > %@", 0x1p53) == "12")
    #expect(try find("large < %@", 0x1p63) == "0123")
    #expect(try find("large >= %@", 0x1p63) == "")
    #expect(try find("large <= %@", -0x1p63) == "3")
    #expect(try find("large < %@", -Double.infinity) == "")
    #expect(try find("large IN %@", [0x1p53, 1.5]) == "0")
    #expect(try find("large != 0.5") == "01234")
    // No value is what NaN is for SQLite, so for all.
    #expect(try find("large == %@", Double.nan) == "4")
    #expect(try find("NOT (large < %@)", Double.nan) == "01234")
  }

  @Test("9: doubles in lists keep every bit, however many there are")
  mutating func doubles() throws {
    var random = SplitMix64(seed: 7)
    let values = (0..<600).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
    try items("amount", values.prefix(3).map { .double($0) } + [.double(-0.0)])
    #expect(try find("amount IN %@", values) == "012")
    #expect(
      try find(Property("amount").compare(.in, .variable("all")), ["all": .list(values.map { .value(.double($0)) })])
        == "012")
    #expect(try find("amount IN %@", values.map { $0.nextUp }) == "")
    #expect(try find("amount == 0") == "3")
  }

  @Test("9: NUL, quotes, empty texts and the last characters of Unicode")
  mutating func texts() throws {
    try items("text", ["", "a\0b", "a", "a\u{10FFFF}", "b", "'; DROP TABLE ZITEM; --", .null, "é", "e\u{301}"])
    #expect(try find("text == %@", "a\0b") == "1")
    #expect(try find("text IN %@", ["a\0b", "", "'; DROP TABLE ZITEM; --"]) == "015")
    let list = Operand.list((0..<700).map { .value(.string("\($0)\0")) } + [.value("a\0b")])
    #expect(try find(Property("text").compare(.in, .variable("v")), ["v": list]) == "1")
    #expect(try find("text CONTAINS %@", "\0") == "1")
    #expect(try find("text ENDSWITH %@", "\0b") == "1")
    #expect(try find("text BEGINSWITH %@", "a\0") == "1")
    #expect(try find("text BEGINSWITH 'a'") == "123")
    #expect(try find("text BEGINSWITH %@", "a\u{10FFFF}") == "3")
    // Every text starts with nothing, ends with it and holds it; where there is no text, nothing holds.
    for word in ["BEGINSWITH", "ENDSWITH", "CONTAINS"] { #expect(try find("text \(word) ''") == "01234578") }
    #expect(try find("text LIKE '*'") == "01234578")
    #expect(try find("NOT text BEGINSWITH ''") == "6")
    #expect(try find("text BEGINSWITH %@", nil) == "")
    // Byte by byte, as SQLite does it.
    #expect(try find("text == %@", "é") == "7")
    #expect(try find("text LIKE '?'") == "247")
    #expect(try find("text ==[c] %@", "É") == "7")
    #expect(try find("text BETWEEN[c] {'A', 'A'}") == "2")
  }

  @Test("9: with an absent value only == nil and != hold")
  mutating func absentValues() throws {
    try items("text", [.null, "a"])
    #expect(try find("text == nil") == "0")
    #expect(try find("text != nil") == "1")
    #expect(try find("text != 'a'") == "0")
    for comparison in ["< 'b'", "> ''", "BETWEEN {'', 'z'}", "IN {'b', NULL}", "CONTAINS ''", "LIKE '*'"] {
      #expect(!(try find("text \(comparison)").contains("0")), "\(comparison)")
      #expect(try find("NOT text \(comparison)").contains("0"), "\(comparison)")
    }
    #expect(try find("text IN {}") == "")
    #expect(try find("NOT text IN {}") == "01")
    #expect(try find("text BETWEEN {'z', 'a'}") == "")
    // A way over a relationship that leads nowhere ends in an absent value.
    #expect(try find("owner.name == nil") == "01")
    #expect(try find("owner.boss.name != 'x' AND NOT owner.boss == SELF.owner.boss") == "")
    #expect(try find("owner == nil AND owner.boss == keeper") == "01")
    // Over to-many relationships that lead nowhere there is nothing for which it could hold.
    #expect(try find("ANY parts.maker.name == nil") == "")
    #expect(try find("NONE tags.word == nil") == "01")
  }

  @Test("9: an object behind ANY and one before it are joined each in its place")
  mutating func joinsOnBothSides() throws {
    let context = stack.context
    var items: [ManagedObject] = []
    for (number, name) in ["Ada", "Bob"].enumerated() {
      let (item, owner, part) = (try context.insert("Item"), try context.insert("Owner"), try context.insert("Part"))
      try item.setValue("\(number)", forKey: "note")
      try owner.setValue(name, forKey: "name")
      try item.setValue(owner, forKey: "owner")
      try part.setValue(item, forKey: "item")
      items.append(item)
    }
    let part = try #require(try items[1].objects(try items[1].entity.relationship("parts")).first)
    try part.setValue(try items[1].value(forKey: "owner"), forKey: "maker")
    try part.setValue("Bob", forKey: "label")
    try save()
    // The operand's path starts at the item, not at the part.
    #expect(try find("ANY parts.maker == owner") == "1")
    #expect(try find("ANY parts.maker.name == owner.name") == "1")
    #expect(try find("ANY parts.label == owner.name AND owner.name == 'Bob'") == "1")
    // A part without a maker counts, its maker's name being absent.
    #expect(try find("ANY parts.maker.name == nil") == "0")
    #expect(try find("ANY parts.maker.items.parts.label == 'Bob'") == "1")
    #expect(try find("NOT ANY parts.maker.items.owner.name BEGINSWITH 'B'") == "0")
    #expect(try find("ANY owner.items == SELF") == "01")
  }

  @Test("9: ALL holds where there is nothing for which it does not")
  mutating func allValues() throws {
    let context = stack.context
    for (number, labels) in [["a", "a"], ["a", "b"], ["a", nil], []].enumerated() {
      let item = try context.insert("Item")
      try item.setValue("\(number)", forKey: "note")
      for label in labels {
        let part = try context.insert("Part")
        try part.setValue(label, forKey: "label")
        try part.setValue(item, forKey: "item")
      }
    }
    try save()
    #expect(try find("ALL parts.label == 'a'") == "03")
    #expect(try find("NOT ALL parts.label == 'a'") == "12")
    #expect(try find("ALL parts.label != 'b'") == "023")
    // An absent value is neither less nor greater.
    #expect(try find("ALL parts.label < 'z'") == "013")
    #expect(try find("ALL parts.label IN {'a', 'b', NULL}") == "013")
    #expect(try find("ALL parts.maker == nil") == "0123")
    #expect(try find("ALL parts.item == SELF AND ANY parts.label == 'a'") == "012")
    #expect(try find("ANY parts.label == 'a' AND NONE parts.label == 'b'") == "02")
    // A second to-many relationship on the way: all that is at the end counts.
    #expect(try find("ALL parts.item.parts.label == 'a'") == "03")
  }

  @Test("9: [c] ignores capitals, [d] accents, [cd] both, whichever way they are written")
  mutating func optionsOfTexts() throws {
    try items("text", ["é", "e\u{301}", "E", "É", "e", "ё", .null])
    #expect(try find("text == 'e'") == "4")
    #expect(try find("text ==[c] 'e'") == "24")
    #expect(try find("text ==[d] 'e'") == "014")
    #expect(try find("text ==[cd] %@", "É") == "01234")
    #expect(try find("text !=[cd] 'e'") == "56")
    #expect(try find("text IN[d] {'é', 'x'}") == "014")
    #expect(try find("text BEGINSWITH[cd] 'E'") == "01234")
    #expect(try find("text LIKE[d] 'e'") == "014")
    #expect(try find("text <[d] 'f' AND text CONTAINS[d] 'e'") == "014")
    #expect(try find("text ==[cd] $x", variables: ["x": .value("e\u{301}")]) == "01234")
    // Numbers have none.
    #expect(try find("large ==[cd] nil") == "0123456")
  }

  @Test("9: IN and CONTAINS with a to-many relationship")
  mutating func membership() throws {
    let context = stack.context
    let (first, second, tag) = (try context.insert("Item"), try context.insert("Item"), try context.insert("Tag"))
    for (note, item) in [("0", first), ("1", second)] { try item.setValue(note, forKey: "note") }
    try tag.setValue("red", forKey: "word")
    try second.add(tag, to: try second.entity.relationship("tags"))
    try save()
    #expect(try find("%@ IN tags", tag) == "1")
    #expect(try find("tags CONTAINS %@", tag.objectID) == "1")
    #expect(try find("NOT tags CONTAINS %@", tag) == "0")
    #expect(try find("$t IN tags", variables: ["t": .object(tag.objectID)]) == "1")
    #expect(try find("'RED' IN[c] tags.word") == "1")
  }

  @Test("9: lists of any length, in the predicate and as variables that change")
  mutating func longLists() throws {
    try items("large", [.integer(3), .integer(40_000), .null])
    #expect(try find("large IN %@", Array(0..<501)) == "0")
    #expect(try find("large IN %@", Array(0..<40_001)) == "01")
    let request = FetchRequest<ManagedObject>("Item", where: Property("large").compare(.in, .variable("list")))
    for count in [0, 1, 4, 700, 4, 40_001, 0] {
      request.variables = ["list": .list((0..<count).map { .value(.integer(Int64($0))) })]
      #expect(try stack.otherContext().count(for: request) == (count > 40_000 ? 2 : count > 3 ? 1 : 0))
    }
    let many = FetchPredicate.or((0..<5_000).map { Property("large") == $0 })
    #expect(try find(many) == "0")
    #expect(try find(!many && Property("large") != 7) == "12")
  }

  @Test("9: what cannot be compared is refused, and the sentence says why")
  mutating func refusals() throws {
    try items("text", ["a"])
    let owner = try stack.context.insert("Owner")
    try stack.context.save()
    func refused(
      _ format: String, _ arguments: Any?..., variables: [String: Operand] = [:], because word: String,
      line: SourceLocation = #_sourceLocation
    ) {
      let error = #expect(throws: ObjectGraphError.self, sourceLocation: line) {
        try find(try FetchPredicate(format: format, argumentArray: arguments), variables)
      }
      #expect("\(error as Any)".contains(word), "\(error as Any)", sourceLocation: line)
    }
    refused("nickname == 1", because: "nickname")
    refused("owner.nickname == 1", because: "nickname")
    refused("text == 5", because: "'text' of Item is of type string")
    refused("large == 'x'", because: "large")
    refused("large == text", because: "different kinds")
    refused("owner == twin", because: "different kinds")
    refused("moment == amount", because: "different kinds")
    refused("owner == 5", because: "is an object")
    refused("twin == %@", owner, because: "an object of Owner")
    refused("text == %@", owner, because: "an object of Owner")
    refused("owner < %@", owner, because: "neither less nor greater")
    refused("large CONTAINS 'x'", because: "is not a text")
    refused("tags.word == 'x'", because: "say ANY")
    refused("ANY owner.name == 'x'", because: "leave ANY, ALL or NONE out")
    refused("ALL owner.name == 'x'", because: "leave ANY, ALL or NONE out")
    refused("owner CONTAINS %@", owner, because: "leave ANY, ALL or NONE out")
    refused("text == tags.word", because: "put it on the left")
    refused("unique == %@", [UInt8](repeating: 0, count: 15), because: "uuid")
    refused("text == $x", because: "$x")
    refused("text == $x", variables: ["x": .list([])], because: "one value")
    refused("text == $x", variables: ["x": .value(5)], because: "'text' of Item is of type string")
    refused("text IN $x", variables: ["x": .value("a")], because: "must be a list")
    refused("large BETWEEN $x", variables: ["x": .list([.value(1)])], because: "BETWEEN takes two")
    refused("owner == $x", variables: ["x": .value(5)], because: "is an object")
    refused("twin IN $x", variables: ["x": .list([.object(owner.objectID)])], because: "an object of Owner")
    #expect(throws: ObjectGraphError.self) { try find(Property("text").compare(.in, .value("a"))) }
    #expect(throws: ObjectGraphError.self) { try find(Property("text").compare(.in, .path("note"))) }
    #expect(throws: ObjectGraphError.self) { try find(Property("text").compare(.equal, .list([]))) }
    #expect(throws: ObjectGraphError.self) { try find(Property("large").compare(.between, .list([.value(1)]))) }
    var deep = Property("large") == 1
    for _ in 0..<1_000 { deep = !deep }
    #expect(throws: ObjectGraphError.self) { try find(deep) }
    // Order by what is no single value.
    for path in ["owner", "tags.word", "SELF", "nothing", "owner.name.x"] {
      #expect(throws: ObjectGraphError.self) { try find(.constant(true), sortedBy: [SortKey(path)]) }
    }
  }

  @Test("9: an object of another store is no object of this one, though the keys are the same")
  func objectsOfOtherStores() throws {
    let second = try stack.coordinator.addPersistentStore(
      .sqlite, at: stack.directory.appendingPathComponent("second.db"))
    let context = stack.context
    func pair(_ note: String, in store: PersistentStore?) throws -> (item: ManagedObject, owner: ManagedObject) {
      let (item, owner) = (try context.insert("Item"), try context.insert("Owner"))
      if let store { for object in [item, owner] { context.assign(object, to: store) } }
      try item.setValue(note, forKey: "note")
      try item.setValue(owner, forKey: "owner")
      return (item, owner)
    }
    let (first, other) = (try pair("first", in: nil), try pair("other", in: second))
    let new = try context.insert("Owner")
    try context.save()
    let unsaved = try context.insert("Owner")
    func notes(_ predicate: FetchPredicate) throws -> [String] {
      try stack.otherContext().fetch(FetchRequest<ManagedObject>("Item", where: predicate)).map {
        try $0.value(forKey: "note") as? String ?? ""
      }
    }
    #expect(
      first.owner.objectID.uriRepresentation.lastPathComponent
        == other.owner.objectID.uriRepresentation.lastPathComponent)
    #expect(try notes(Property("owner") == first.owner) == ["first"])
    #expect(try notes(Property("owner").isIn([other.owner.objectID])) == ["other"])
    #expect(try notes(Property.object == other.item) == ["other"])
    #expect(Set(try notes(Property("owner") != new)) == ["first", "other"])
    #expect(try notes(Property("owner") == unsaved) == [])
    // What both stores find is sorted together, and counted.
    let request = FetchRequest<ManagedObject>("Item", sortedBy: [SortKey("note", ascending: false)], limit: 1)
    let found = try stack.otherContext().fetch(request).map(\.objectID)
    #expect(found == [other.item.objectID])
    request.fetchOffset = 1
    request.fetchLimit = 0
    #expect(try stack.otherContext().count(for: request) == 1)
  }
}
