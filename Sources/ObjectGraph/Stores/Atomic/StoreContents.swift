import Foundation

/// All that a store holds, in its file and in memory while it is open.
struct StoreContents {
  let identifier: UUID
  /// The model that rows and pairs are laid out by; that of a file may be an older one, known from the file alone.
  var model: ManagedObjectModel
  /// The rows of each entity of the model, in order.
  var entities: [StoredEntity]
  /// The pairs of each of the model's ``ManagedObjectModel/pairedRelationships``, in order.
  var pairs: [StoredPairs]

  /// An empty store.
  init(_ model: ManagedObjectModel, identifier: UUID = UUID()) {
    self.identifier = identifier
    self.model = model
    entities = model.entities.map { _ in StoredEntity() }
    pairs = model.pairedRelationships.map { _ in StoredPairs() }
  }

  /// The pairs of keys that a relationship consists of, however they are stored.
  func pairs(of relationship: Relationship, in entity: Entity) -> [(Int64, Int64)] {
    switch relationship.storage {
    case .column(let place):
      return entities[entity.number - 1].table.compactMap { key, row in
        guard case .integer(let other) = row.values[place] else { return nil }
        return (key, other)
      }
    case .inverseColumn:
      guard let inverse = model.inverse(of: relationship) else { return [] }
      return pairs(of: inverse, in: model.destination(of: relationship)).map { ($1, $0) }
    case .joinTable(let table, _, _, let writes):
      guard let place = model.pairedRelationships.firstIndex(where: { $0.table == table }) else { return [] }
      return pairs[place].sorted.map { writes ? ($0, $1) : ($1, $0) }
    }
  }
}

/// The rows of an entity.
struct StoredEntity {
  /// The greatest key that was ever given away (Z_MAX): the next object gets the one after it.
  var lastKey: Int64 = 0
  var table = RowTable()
}

/// The pairs of keys that make a many-to-many relationship.
struct StoredPairs {
  private(set) var destinations = KeyMap<Int64>()
  private(set) var sources = KeyMap<Int64>()

  /// The pairs, by source and destination.
  var sorted: [(Int64, Int64)] {
    destinations.values.sorted().flatMap { source in destinations[source].map { (source, $0) } }
  }

  /// Adds or removes a pair.
  ///
  /// - Returns: Whether that was a change.
  @discardableResult
  mutating func set(_ source: Int64, _ destination: Int64, isThere: Bool) -> Bool {
    if isThere {
      sources.insert(source, for: destination)
      return destinations.insert(destination, for: source)
    }
    sources.remove(source, for: destination)
    return destinations.remove(destination, for: source)
  }
}

/// A many-to-many relationship, in the direction that is written.
struct PairedRelationship {
  /// The entity of the sources.
  let entity: Entity
  let relationship: Relationship
  /// The name of SQLite's table for it, which tells it from all others.
  let table: String
}

extension ManagedObjectModel {
  /// The names of all columns and tables of pairs, in the order in which ``StoreContents`` has them.
  var layout: [[String]] { entities.map(\.columns) + [pairedRelationships.map(\.table)] }

  /// The many-to-many relationships, each in the direction that is written.
  var pairedRelationships: [PairedRelationship] {
    entities.flatMap { entity in
      entity.relationships.compactMap { relationship in
        guard case .joinTable(let table, _, _, writes: true) = relationship.storage else { return nil }
        return PairedRelationship(entity: entity, relationship: relationship, table: table)
      }
    }
  }
}
