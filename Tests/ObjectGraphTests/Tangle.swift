import ObjectGraph

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

  /// One pair of inverse relationships.
  struct Bond: Hashable, CaseIterable {
    let source: String
    let name: String
    let destination: String
    let inverse: String
    /// Whether a source has one destination at most, and a destination one source.
    let isToOne: Bool
    let isInverseToOne: Bool

    /// Whether both names are the same relationship.
    var isSymmetric: Bool { source == destination && name == inverse }

    static let allCases = [
      Bond(nodes, "parent", nodes, "children", true, false), Bond(nodes, "partner", nodes, "partner", true, true),
      Bond(nodes, "guest", nodes, "host", true, true), Bond(nodes, "friends", nodes, "friendOf", false, false),
      Bond(nodes, "box", boxes, "contents", true, false), Bond(nodes, "key", keys, "owner", true, true),
      Bond(nodes, "tags", tags, "nodes", false, false),
    ]

    private init(
      _ source: String, _ name: String, _ destination: String, _ inverse: String, _ isToOne: Bool,
      _ isInverseToOne: Bool
    ) {
      (self.source, self.name, self.destination, self.inverse) = (source, name, destination, inverse)
      (self.isToOne, self.isInverseToOne) = (isToOne, isInverseToOne)
    }
  }
}

/// What the graph must be: plain pairs of numbers, knowing nothing of contexts.
struct ReferenceGraph: Equatable {
  struct Pair: Hashable {
    var source: Int
    var destination: Int
  }

  /// The entity of each object, by its number.
  private(set) var entities: [Int: String] = [:]
  private var pairs: [Tangle.Bond: Set<Pair>] = [:]

  func objects(_ entity: String) -> [Int] { entities.filter { $0.value == entity }.keys.sorted() }

  func pairs(_ bond: Tangle.Bond) -> Set<Pair> { pairs[bond] ?? [] }

  func destinations(_ source: Int, _ bond: Tangle.Bond) -> Set<Int> {
    Set(pairs(bond).filter { $0.source == source }.map(\.destination))
  }

  func sources(_ destination: Int, _ bond: Tangle.Bond) -> Set<Int> {
    Set(pairs(bond).filter { $0.destination == destination }.map(\.source))
  }

  mutating func insert(_ number: Int, _ entity: String) { entities[number] = entity }

  mutating func link(_ source: Int, _ destination: Int, _ bond: Tangle.Bond) {
    if bond.isSymmetric {
      let both: Set<Int> = [source, destination]
      pairs[bond] = pairs(bond).filter { !both.contains($0.source) && !both.contains($0.destination) }
      pairs[bond, default: []].insert(Pair(source: destination, destination: source))
    } else {
      if bond.isToOne { pairs[bond] = pairs(bond).filter { $0.source != source } }
      if bond.isInverseToOne { pairs[bond] = pairs(bond).filter { $0.destination != destination } }
    }
    pairs[bond, default: []].insert(Pair(source: source, destination: destination))
  }

  mutating func unlink(_ source: Int, _ destination: Int, _ bond: Tangle.Bond) {
    pairs[bond]?.remove(Pair(source: source, destination: destination))
    if bond.isSymmetric { pairs[bond]?.remove(Pair(source: destination, destination: source)) }
  }

  /// Deletes an object, with its children and its key.
  mutating func delete(_ number: Int) {
    guard entities.removeValue(forKey: number) != nil else { return }
    let owned = Tangle.Bond.allCases.flatMap { bond in
      switch bond.name {
      case "parent": sources(number, bond)
      case "key": destinations(number, bond)
      default: Set<Int>()
      }
    }
    for bond in Tangle.Bond.allCases {
      pairs[bond] = pairs(bond).filter { $0.source != number && $0.destination != number }
    }
    for other in owned { delete(other) }
  }
}
