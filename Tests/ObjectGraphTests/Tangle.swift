import ObjectGraph
import TestSupport
import Testing

/// A model with relationships of every kind, between two entities and from one to itself.
enum Tangle {
  static let nodes = "Node"
  static let boxes = "Box"
  static let keys = "Key"
  static let tags = "Tag"
  static let entities = [nodes, boxes, keys, tags]

  static func model() throws -> ManagedObjectModel {
    let number = [AttributeDescription("number", .integer64, optional: false)]
    return try ManagedObjectModel([
      EntityDescription(
        nodes, attributes: number,
        relationships: [
          RelationshipDescription("parent", to: nodes, inverse: "children"),
          RelationshipDescription("children", toMany: nodes, inverse: "parent", deleteRule: .cascade),
          RelationshipDescription("partner", to: nodes, inverse: "partner"),
          RelationshipDescription("guest", to: nodes, inverse: "host"),
          RelationshipDescription("host", to: nodes, inverse: "guest"),
          RelationshipDescription("friends", toMany: nodes, inverse: "friendOf"),
          RelationshipDescription("friendOf", toMany: nodes, inverse: "friends"),
          RelationshipDescription("box", to: boxes, inverse: "contents"),
          RelationshipDescription("key", to: keys, inverse: "owner", deleteRule: .cascade),
          RelationshipDescription("tags", toMany: tags, inverse: "nodes"),
        ]),
      EntityDescription(
        boxes, attributes: number,
        relationships: [RelationshipDescription("contents", toMany: nodes, inverse: "box")]),
      EntityDescription(
        keys, attributes: number, relationships: [RelationshipDescription("owner", to: nodes, inverse: "key")]),
      EntityDescription(
        tags, attributes: number,
        relationships: [RelationshipDescription("nodes", toMany: nodes, inverse: "tags")]),
    ])
  }

  /// The pairs of inverse relationships. The first of a pair is a node's.
  static let bonds: [(name: String, destination: String, inverse: String)] = [
    ("parent", nodes, "children"), ("partner", nodes, "partner"), ("guest", nodes, "host"),
    ("friends", nodes, "friendOf"), ("box", boxes, "contents"), ("key", keys, "owner"), ("tags", tags, "nodes"),
  ]

  /// The objects of an entity in the order of their numbers.
  static func objects(_ entity: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
    try context.fetch(FetchRequest<ManagedObject>(entity, sortedBy: [SortKey("number")]))
  }
}

struct TangleEditor {
  var random: SplitMix64
  private var lastNumber = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Inserts an object with the next number; the entities take turns.
  mutating func insert(_ context: ManagedObjectContext) throws {
    lastNumber += 1
    try context.insert(Tangle.entities[lastNumber % 4]).setValue(lastNumber, forKey: "number")
  }

  mutating func delete(_ context: ManagedObjectContext) throws {
    let entity = Everything.pick(Tangle.entities, &random)
    try Tangle.objects(entity, context).randomElement(using: &random).map(context.delete)
  }

  /// Links two objects from either end, or empties a relationship.
  mutating func change(_ context: ManagedObjectContext) throws {
    guard let bond = Tangle.bonds.randomElement(using: &random),
      let source = try Tangle.objects(Tangle.nodes, context).randomElement(using: &random),
      let destination = try Tangle.objects(bond.destination, context).randomElement(using: &random)
    else { return }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: try source.setValue(nil, forKey: bond.name)
    case 1: try destination.setValue(nil, forKey: bond.inverse)
    case 2..<6: try link(source, bond.name, destination)
    default: try link(destination, bond.inverse, source)
    }
  }

  private func link(_ object: ManagedObject, _ name: String, _ other: ManagedObject) throws {
    let relationship = try object.entity.relationship(name)
    if relationship.isToMany {
      try object.add(other, to: relationship)
    } else {
      try object.set(relationship, to: other)
    }
  }
}

extension Graph {
  /// The objects of a tangle by their numbers; -1 for an object that is gone.
  init(tangle context: ManagedObjectContext) throws {
    try self.init(context) { "\($0.entity.name)/\(try $0.value(forKey: "number") ?? -1)" }
  }

  /// Checks that each relationship of a tangle is the same from both ends.
  func requireSymmetry(_ what: String) throws {
    for bond in Tangle.bonds {
      let asymmetry = asymmetry(of: bond.name, bond.inverse)
      try #require(asymmetry == nil, "\(what): \(asymmetry ?? "")")
    }
  }

  /// A link of two inverse relationships that only one end has. Links to objects that are gone count unless allowed.
  func asymmetry(of name: String, _ inverse: String, allowsDangling: Bool = false) -> String? {
    for (name, inverse) in [(name, inverse), (inverse, name)] {
      for (object, values) in objects {
        for other in (values[name] ?? "").split(separator: " ").map(String.init) {
          if allowsDangling, objects[other] == nil { continue }
          let isBack = objects[other]?[inverse]?.split(separator: " ").contains(object[...]) == true
          if !isBack { return "\(object).\(name) leads to \(other), and \(inverse) not back" }
        }
      }
    }
    return nil
  }
}
