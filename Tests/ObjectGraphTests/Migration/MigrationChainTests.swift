import ObjectGraph
import Testing
import TestSupport

/// Semantic 24 as a property: entities, attributes and relationships that swap their names from version to version keep
/// their values.
@Suite struct MigrationChainTests {
  @Test("24: names go round through four versions, and nothing else does", arguments: StoreHistory.types, 1...8)
  func chain(_ type: StoreType, _ seed: UInt64) throws {
    var names = Names(seed: seed)
    let history = try StoreHistory(type)
    var version = names.next(after: nil)
    try history.open(version.entities) { try Self.fill($0, version) }
    var graph = try history.graph(version.entities)
    for _ in 1...4 {
      let next = names.next(after: version)
      graph = graph.migrated(from: version.entities, to: next.entities)
      #expect(try history.graph(next.entities, .migrating) == graph, "seed \(seed)")
      if type == .sqlite {
        for (index, name) in next.entityNames.sorted().enumerated() {
          #expect(try history.rows("SELECT DISTINCT Z_ENT FROM Z\(name)") == [["\(index + 1)"]])
        }
      }
      #expect(
        try ManagedObjectModel(PersistentStoreCoordinator.entities(ofStoreOf: type, at: history.url)).versionHashes
          == ManagedObjectModel(next.entities).versionHashes)
      version = next
    }
  }

  /// The names in one version. Entities, attributes and relationships are numbers.
  private struct Version {
    var entityNames: [String]
    /// Of each entity.
    var attributeNames: [[String]]
    /// Of the to-one relationship, its inverse, and the two ends of a many-to-many one.
    var relationshipNames: [[String]]
    var entities: [EntityDescription] = []
    var number = 1
  }

  private struct Names {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Picks names out of a few more than needed, so that things swap them.
    mutating func pick(_ letter: String, _ count: Int) -> [String] {
      Array(
        (0..<count + Int.random(in: 0...1, using: &random)).map { "\(letter)\($0)" }.shuffled(using: &random)[..<count])
    }

    mutating func next(after old: Version?) -> Version {
      while true {
        var version = Version(
          entityNames: pick("E", 3), attributeNames: (0..<3).map { _ in pick("a", 4) },
          relationshipNames: (0..<3).map { _ in pick("r", 4) })
        version.number = (old?.number ?? 0) + 1
        version.entities = MigrationChainTests.entities(version, old)
        if old.map({ !Self.isAmbiguous($0.entities, version.entities) }) ?? true { return version }
      }
    }

    /// Whether a name had the same former name before, so that it would be taken for the same thing.
    static func isAmbiguous(_ old: [EntityDescription], _ new: [EntityDescription]) -> Bool {
      func signs(_ entities: [EntityDescription]) -> Set<String> {
        let names = entities.enumerated().flatMap { index, entity in
          [("entity", entity.name, entity.renamingIdentifier)]
            + entity.attributes.map { ("a\(index)", $0.name, $0.renamingIdentifier) }
            + entity.relationships.map { ("r\(index)", $0.name, $0.renamingIdentifier) }
        }
        return Set(names.compactMap { owner, name, former in former.map { "\(owner) \(name) \($0)" } })
      }
      return !signs(old).isDisjoint(with: signs(new))
    }
  }

  private static func entities(_ version: Version, _ old: Version?) -> [EntityDescription] {
    (0..<3).map { entity in
      func former(_ names: (Version) -> String) -> String? {
        old.map(names).flatMap { $0 == names(version) ? nil : $0 }
      }
      let attributes = (0..<4).map { index in
        AttributeDescription(
          version.attributeNames[entity][index], .string,
          renamedFrom: former { $0.attributeNames[entity][index] })
      }
      let (next, before) = ((entity + 1) % 3, (entity + 2) % 3)
      func relationship(_ index: Int, to other: Int, _ inverse: Int, isToMany: Bool) -> RelationshipDescription {
        let name = version.relationshipNames[entity][index]
        let destination = version.entityNames[other]
        let back = version.relationshipNames[other][inverse]
        let formerName = former { $0.relationshipNames[entity][index] }
        return isToMany
          ? RelationshipDescription(name, toMany: destination, inverse: back, renamedFrom: formerName)
          : RelationshipDescription(name, to: destination, inverse: back, renamedFrom: formerName)
      }
      return EntityDescription(
        version.entityNames[entity],
        attributes: attributes + [AttributeDescription("v\(version.number)", .integer64, default: 7)],
        relationships: [
          // A to-one relationship becomes to-many in the third version.
          relationship(0, to: next, 1, isToMany: version.number > 2),
          relationship(1, to: before, 0, isToMany: true),
          relationship(2, to: next, 3, isToMany: true),
          relationship(3, to: before, 2, isToMany: true),
        ],
        uniquenessConstraints: [[version.attributeNames[entity][1]]],
        indexes: [[version.attributeNames[entity][0], version.attributeNames[entity][2]]],
        renamedFrom: former { $0.entityNames[entity] })
    }
  }

  private static let count = 4

  private static func fill(_ context: ManagedObjectContext, _ version: Version) throws {
    var objects: [[ManagedObject]] = []
    for entity in 0..<3 {
      objects.append(
        try (1...count).map { number in
          let object = try context.insert(version.entityNames[entity])
          for index in 0..<4 {
            try object.setValue("\(entity) \(number) \(index)", forKey: version.attributeNames[entity][index])
          }
          return object
        })
    }
    for entity in 0..<3 {
      for number in 0..<count {
        let others = objects[(entity + 1) % 3]
        let names = version.relationshipNames[entity]
        try objects[entity][number].setValue(others[number / 2], forKey: names[0])
        try objects[entity][number].setValue(Set([others[number], others[(number + 1) % count]]), forKey: names[2])
      }
    }
    try context.save()
  }
}
