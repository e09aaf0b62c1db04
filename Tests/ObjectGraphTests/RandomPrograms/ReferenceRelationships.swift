import ObjectGraph
import TestSupport

/// A random model of entities that only differ in their relationships.
struct RelationshipModel {
  /// A relationship and its inverse.
  struct Bond {
    let source: Int
    let destination: Int
    /// Whether a source has one destination at most, and a destination one source.
    let isToOne: Bool
    let isInverseToOne: Bool
    let rule: DeleteRule
    let inverseRule: DeleteRule
    /// Whether both are the same relationship.
    let isSymmetric: Bool
    let number: Int

    var name: String { "to\(number)" }
    var inverse: String { isSymmetric ? name : "from\(number)" }
  }

  let entityCount: Int
  let bonds: [Bond]

  init(_ random: inout SplitMix64) {
    let count = Int.random(in: 1...3, using: &random)
    entityCount = count
    // A rule that denies keeps most saves from being made: not in each model.
    let rules: [DeleteRule] = random.chance(30) ? [.nullify, .cascade, .deny] : [.nullify, .nullify, .cascade]
    bonds = (0..<Int.random(in: 1...4, using: &random)).map { number in
      let (source, destination) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
      let (isToOne, isInverseToOne) = (random.chance(50), random.chance(40))
      let isSymmetric = source == destination && isToOne && isInverseToOne && random.chance(50)
      let rule = rules.randomElement(using: &random) ?? .nullify
      let inverseRule = random.chance(70) ? .nullify : rules.randomElement(using: &random) ?? .nullify
      return Bond(
        source: source, destination: destination, isToOne: isToOne, isInverseToOne: isInverseToOne, rule: rule,
        inverseRule: isSymmetric ? rule : inverseRule, isSymmetric: isSymmetric, number: number)
    }
  }

  var denies: Bool { bonds.contains { $0.rule == .deny || $0.inverseRule == .deny } }

  func managedObjectModel() throws -> ManagedObjectModel {
    func end(_ name: String, _ isToOne: Bool, _ entity: Int, _ inverse: String, _ rule: DeleteRule)
      -> RelationshipDescription
    {
      isToOne
        ? RelationshipDescription(name, to: "E\(entity)", inverse: inverse, deleteRule: rule)
        : RelationshipDescription(name, toMany: "E\(entity)", inverse: inverse, deleteRule: rule)
    }
    return try ManagedObjectModel(
      (0..<entityCount).map { entity in
        EntityDescription(
          "E\(entity)", class: Counted.self,
          attributes: [AttributeDescription("number", .integer64), AttributeDescription("value", .integer64)],
          relationships: bonds.flatMap { bond in
            (bond.source == entity ? [end(bond.name, bond.isToOne, bond.destination, bond.inverse, bond.rule)] : [])
              + (bond.destination == entity && !bond.isSymmetric
                ? [end(bond.inverse, bond.isInverseToOne, bond.source, bond.name, bond.inverseRule)] : [])
          })
      })
  }
}

/// A graph of objects as numbers and pairs of numbers, without contexts and stores.
struct ReferenceRelationships: Equatable {
  struct Object: Equatable {
    let entity: Int
    var value: Int?
    /// Whether it was in a store before: only then a rule can deny its deletion.
    var isSaved = false
    var isDeleted = false
  }

  struct Pair: Hashable {
    let source: Int
    let destination: Int
  }

  private(set) var objects: [Int: Object] = [:]
  /// By the bonds' numbers.
  private(set) var pairs: [Set<Pair>]

  init(_ model: RelationshipModel) { pairs = Array(repeating: [], count: model.bonds.count) }

  func living(_ entity: Int) -> [Int] {
    objects.filter { $0.value.entity == entity && !$0.value.isDeleted }.keys.sorted()
  }

  var living: [Int] { objects.filter { !$0.value.isDeleted }.keys.sorted() }

  /// The destinations of an object.
  func destinations(_ number: Int, _ bond: RelationshipModel.Bond, inverse: Bool) -> Set<Int> {
    let found = pairs[bond.number].filter { (inverse ? $0.destination : $0.source) == number }
    return Set(found.map { inverse ? $0.source : $0.destination })
  }

  // MARK: - Edits

  mutating func insert(_ number: Int, _ entity: Int) { objects[number] = Object(entity: entity) }
  mutating func set(_ number: Int, _ value: Int?) { objects[number]?.value = value }

  mutating func link(_ source: Int, _ destination: Int, _ bond: RelationshipModel.Bond) {
    let all = pairs[bond.number]
    guard !all.contains(Pair(source: source, destination: destination)) else { return }
    if bond.isSymmetric {
      pairs[bond.number] = all.filter {
        ![source, destination].contains($0.source) && ![source, destination].contains($0.destination)
      }
      pairs[bond.number].insert(Pair(source: destination, destination: source))
    } else {
      pairs[bond.number] = all.filter {
        !(bond.isToOne && $0.source == source) && !(bond.isInverseToOne && $0.destination == destination)
      }
    }
    pairs[bond.number].insert(Pair(source: source, destination: destination))
  }

  mutating func unlink(_ source: Int, _ destination: Int, _ bond: RelationshipModel.Bond) {
    pairs[bond.number].remove(Pair(source: source, destination: destination))
    if bond.isSymmetric { pairs[bond.number].remove(Pair(source: destination, destination: source)) }
  }

  /// Deletes objects and, by the rules, others.
  mutating func delete(_ numbers: [Int], _ model: RelationshipModel) {
    var waiting = numbers
    while let number = waiting.popLast() {
      guard objects[number]?.isDeleted == false else { continue }
      objects[number]?.isDeleted = true
      for bond in model.bonds {
        if bond.rule == .cascade { waiting += destinations(number, bond, inverse: false) }
        if bond.inverseRule == .cascade { waiting += destinations(number, bond, inverse: true) }
      }
    }
    // A denying relationship keeps its destinations.
    for bond in model.bonds {
      pairs[bond.number] = pairs[bond.number].filter { pair in
        !(objects[pair.source]?.isDeleted == true && bond.rule != .deny)
          && !(objects[pair.destination]?.isDeleted == true && bond.inverseRule != .deny)
      }
    }
  }

  // MARK: - Saving

  /// Whether a rule denies a deletion, as a destination is left.
  func isDenied(_ model: RelationshipModel) -> Bool {
    func keeps(_ number: Int, _ others: Int) -> Bool {
      guard let object = objects[number], object.isDeleted, object.isSaved else { return false }
      return objects[others]?.isDeleted == false
    }
    return model.bonds.contains { bond in
      pairs[bond.number].contains { pair in
        bond.rule == .deny && keeps(pair.source, pair.destination)
          || bond.inverseRule == .deny && keeps(pair.destination, pair.source)
      }
    }
  }

  /// The graph after a save: without deleted objects, all others stored.
  func saved() -> ReferenceRelationships {
    var saved = self
    saved.objects = objects.filter { !$0.value.isDeleted }.mapValues {
      Object(entity: $0.entity, value: $0.value, isSaved: true)
    }
    saved.pairs = pairs.map { $0.filter { saved.objects[$0.source] != nil && saved.objects[$0.destination] != nil } }
    return saved
  }

  /// The graph with the other one's stored objects, as undo does not change them.
  func taking(savedFrom other: ReferenceRelationships) -> ReferenceRelationships {
    var result = self
    for number in objects.keys { result.objects[number]?.isSaved = other.objects[number]?.isSaved ?? false }
    return result
  }
}
