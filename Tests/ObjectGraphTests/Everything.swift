import Foundation
import ObjectGraph
import TestSupport

extension ManagedObjectContext {
  /// The notes of the items that a predicate finds.
  func notes(
    _ predicate: FetchPredicate, sortedBy order: [SortKey] = [], _ variables: [String: Operand] = [:]
  ) throws -> [String] {
    let request = FetchRequest<ManagedObject>("Item", where: predicate, sortedBy: order)
    request.variables = variables
    return try fetch(request).map { try $0.value(forKey: "note") as? String ?? "?" }
  }
}

/// A model with every type of attribute and every kind of relationship, and random graphs of it: few different values,
/// so that predicates find something, all of them awkward ones.
enum Everything {
  static let attributes: [AttributeDescription] = [
    AttributeDescription("small", .integer16), AttributeDescription("medium", .integer32),
    AttributeDescription("large", .integer64), AttributeDescription("flag", .boolean),
    AttributeDescription("amount", .double), AttributeDescription("ratio", .float),
    AttributeDescription("text", .string), AttributeDescription("moment", .date),
    AttributeDescription("bytes", .binary), AttributeDescription("unique", .uuid),
    AttributeDescription("link", .uri), AttributeDescription("note", .string, optional: false, default: ""),
    // Keywords of the predicate language.
    AttributeDescription("in", .integer64), AttributeDescription("like", .string),
  ]

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDescription(
        "Item", attributes: attributes,
        relationships: [
          RelationshipDescription("owner", to: "Owner", inverse: "items"),
          RelationshipDescription("keeper", to: "Owner", deleteRule: .noAction),
          RelationshipDescription("twin", to: "Item", inverse: "twin"),
          RelationshipDescription("parts", toMany: "Part", inverse: "item", deleteRule: .cascade),
          RelationshipDescription("tags", toMany: "Tag", inverse: "items"),
        ], indexes: [["large"], ["text"]]),
      EntityDescription(
        "Owner",
        attributes: [
          AttributeDescription("name", .string), AttributeDescription("rank", .integer32),
          AttributeDescription("since", .date),
        ],
        relationships: [
          RelationshipDescription("boss", to: "Owner", inverse: "staff"),
          RelationshipDescription("staff", toMany: "Owner", inverse: "boss"),
          RelationshipDescription("items", toMany: "Item", inverse: "owner"),
          RelationshipDescription("makes", toMany: "Part", inverse: "maker"),
        ]),
      EntityDescription(
        "Part",
        attributes: [AttributeDescription("label", .string), AttributeDescription("weight", .double)],
        relationships: [
          RelationshipDescription("item", to: "Item", inverse: "parts"),
          RelationshipDescription("maker", to: "Owner", inverse: "makes"),
        ]),
      EntityDescription(
        "Tag", attributes: [AttributeDescription("word", .string)],
        relationships: [RelationshipDescription("items", toMany: "Item", inverse: "tags")]),
    ])
  }

  static let texts = [
    "", "a", "A", "ab", "aB", "AB", "b", "abc", "é", "e\u{301}", "É", "E", "ñ", "Ångström", "ß", "a\0b", "a*", "a?c",
    "\\", "日本", "日",
    "😀", "\u{10FFFF}", "Σας", "σ", "ς", "'; DROP TABLE ZITEM; --", "O'Brien \"x\"", "%@", "\n\t\u{1}", "İ",
  ]
  static let integers: [Int64] = [0, 1, -1, 2, 7, 100, 32_767, -32_768]
  static let largeIntegers: [Int64] = [.max, .min, 1 << 53, (1 << 53) + 1, (1 << 53) - 1, 1_000_000_007]
  static let doubles: [Double] = [
    0, -0.0, 0.1, 0.30000000000000004, 0.3, 1, 2, 1.5, -1, 7, 0x1p53, 0x1p63, -0x1p63, 1e300,
    Double.leastNonzeroMagnitude, .infinity,
    -.infinity, 123_456_789.12345679,
  ]
  static let uuids = (0..<3).map { UUID(uuid: (0, $0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255)) }
  static let links = ["http://a.example/", "http://a.example/B", "file:///x"]

  /// A value that an attribute of a type can have, or one to compare it with.
  static func value(_ type: AttributeType, _ random: inout SplitMix64, asOperand: Bool = false) -> Value {
    switch type {
    case .integer16, .integer32:
      asOperand && Int.random(in: 0..<4, using: &random) == 0
        ? pick([.double(1.5), .double(7), .integer(.max), .double(.infinity)], &random)
        : .integer(pick(integers, &random))
    case .integer64:
      asOperand && Int.random(in: 0..<4, using: &random) == 0
        ? .double(pick(doubles, &random)) : .integer(pick(integers + largeIntegers, &random))
    case .boolean: .integer(Int64.random(in: 0...1, using: &random))
    case .double, .date:
      asOperand && Int.random(in: 0..<4, using: &random) == 0
        ? .integer(pick(integers, &random)) : .double(pick(doubles, &random))
    case .float:
      .double(asOperand ? pick([0.1, Double(Float(0.1)), 1, 7, 1.5], &random) : pick([0.1, 1, 7, -1, 1.5], &random))
    case .string: .string(pick(texts, &random))
    case .uri: .string(pick(links, &random))
    case .binary: .binary(pick([[], [0], [0, 1], [255], Array("ab".utf8)], &random))
    case .uuid: pick(uuids, &random).stored
    }
  }

  /// Saves items with one attribute set, named `0`, `1`, … by their notes.
  static func save(_ values: [Value], of key: String, in context: ManagedObjectContext) throws {
    for (number, value) in values.enumerated() {
      let item = try context.insert("Item")
      try item.set(try item.entity.attribute("note"), to: .string("\(number)"))
      try item.set(try item.entity.attribute(key), to: value)
    }
    try context.save()
  }

  /// Makes a context evaluate every object in memory, by setting a value of each to itself.
  static func touch(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    try context.persistentStoreCoordinator.managedObjectModel.entities.flatMap { entity in
      let objects = try context.fetch(FetchRequest<ManagedObject>(entity.name))
      for object in objects { try object.set(entity.attributes[0], to: try object.value(of: entity.attributes[0])) }
      return objects
    }
  }

  static func pick<Element>(_ elements: [Element], _ random: inout SplitMix64) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }

  /// Makes objects and links them, leaving some values and relationships absent.
  static func fill(_ context: ManagedObjectContext, _ random: inout SplitMix64) throws {
    var objects: [String: [ManagedObject]] = [:]
    for (name, count) in [("Owner", 8), ("Tag", 6), ("Item", 24), ("Part", 24)] {
      objects[name] = try (0..<count).map { _ in
        let object = try context.insert(name)
        try change(attributesOf: object, &random)
        return object
      }
    }
    for object in objects.keys.sorted().flatMap({ objects[$0] ?? [] }) {
      for relationship in object.entity.relationships where Int.random(in: 0..<4, using: &random) > 0 {
        try change(relationship, of: object, among: objects, &random)
      }
    }
  }

  static func change(attributesOf object: ManagedObject, _ random: inout SplitMix64) throws {
    for attribute in object.entity.attributes {
      let isAbsent = attribute.isOptional && Int.random(in: 0..<4, using: &random) == 0
      try object.set(attribute, to: isAbsent ? .null : value(attribute.type, &random))
    }
  }

  static func change(
    _ relationship: Relationship, of object: ManagedObject, among objects: [String: [ManagedObject]],
    _ random: inout SplitMix64
  ) throws {
    let others = objects[relationship.description.destination] ?? []
    guard !others.isEmpty else { return }
    if relationship.isToMany {
      let other = pick(others, &random)
      if try object.objects(relationship).contains(other) {
        try object.remove(other, from: relationship)
      } else {
        try object.add(other, to: relationship)
      }
    } else {
      let isAbsent = Int.random(in: 0..<5, using: &random) == 0
      try object.set(relationship, to: isAbsent ? nil : pick(others, &random))
    }
  }
}
