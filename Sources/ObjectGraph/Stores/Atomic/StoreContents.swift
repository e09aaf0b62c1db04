import Foundation

/// All that a store holds: what a file says, and what is in memory while it is open.
struct StoreContents {
  var identifier: UUID
  /// The model that rows and pairs are laid out by; that of a file may be an older one, known from the file alone.
  let model: ManagedObjectModel
  /// Of each entity of the model, in order.
  var entities: [StoredEntity]
  /// Of each of the model's ``ManagedObjectModel/pairedRelationships``, in order.
  var pairs: [StoredPairs]

  /// An empty store.
  init(_ model: ManagedObjectModel, identifier: UUID = UUID()) {
    self.identifier = identifier
    self.model = model
    entities = model.entities.map { _ in StoredEntity() }
    pairs = model.pairedRelationships.map { _ in StoredPairs() }
  }

  /// The same for another model of the same version hashes, which may declare its properties in another order.
  func arranged(for model: ManagedObjectModel) -> StoreContents {
    var arranged = StoreContents(model, identifier: identifier)
    for (place, entity) in model.entities.enumerated() {
      arranged.entities[place] = entities[place]
      let columns = self.model.entities[place].columns
      guard columns != entity.columns else { continue }
      // The hashes being the same, every name is there.
      let places = entity.columns.compactMap(columns.firstIndex)
      arranged.entities[place].table = entities[place].table.mapRows { row in
        Row(version: row.version, values: places.map { row.values[$0] })
      }
    }
    for (place, paired) in model.pairedRelationships.enumerated() {
      guard let old = self.model.pairedRelationships.firstIndex(where: { $0.table == paired.table }) else { continue }
      arranged.pairs[place] = pairs[old]
    }
    return arranged
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

  /// Adds a pair.
  ///
  /// - Returns: Whether it was not there.
  @discardableResult
  mutating func insert(_ source: Int64, _ destination: Int64) -> Bool {
    sources.insert(source, for: destination)
    return destinations.insert(destination, for: source)
  }

  /// Removes a pair.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  mutating func remove(_ source: Int64, _ destination: Int64) -> Bool {
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

extension Entity {
  /// Whether a place of a row can hold the value.
  func accepts(_ value: Value, at place: Int) -> Bool {
    guard place < attributes.count else {
      if case .integer(let key) = value { return key > 0 }
      return value.isNull
    }
    // A text that is no URL is read nevertheless.
    if attributes[place].type == .uri, case .string = value { return true }
    return attributes[place].type.accepts(value)
  }
}
