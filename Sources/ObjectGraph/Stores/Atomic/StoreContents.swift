import Foundation

/// All that a store holds, told by names, whatever the model is: what a file says, and what is in memory while it is
/// open.
struct StoreContents {
  var identifier: UUID
  /// Those of the model that wrote it.
  var versionHashes: [String: Data]
  var entities: [StoredEntity]
  /// The pairs of many-to-many relationships.
  var links: [StoredLinks]
}

/// The rows of an entity and what their columns are.
struct StoredEntity {
  var name: String
  /// The greatest key that was ever given away (Z_MAX): the next object gets the one after it.
  var lastKey: Int64
  /// What is at each place of a row.
  var columns: [StoredColumn]
  var table = RowTable()
}

/// A column of a store's rows.
struct StoredColumn: Equatable {
  enum Kind: Equatable {
    case attribute(AttributeType)
    /// The keys of another entity's objects.
    case toOne(destination: String)
  }

  var name: String
  var kind: Kind

  /// Whether it can hold the value.
  func accepts(_ value: Value) -> Bool {
    switch kind {
    case .attribute(let type):
      // Texts that are no URLs any more are still read.
      if type == .uri, case .string = value { return true }
      return type.accepts(value)
    case .toOne: return AttributeType.integer64.accepts(value)
    }
  }
}

/// The pairs of keys that make a many-to-many relationship.
struct StoredLinks {
  /// The entity of the sources, and its relationship to the destinations.
  var entity: String
  var relationship: String
  /// The entity of the destinations, and its relationship to the sources.
  var destination: String
  var inverse: String
  private(set) var destinations = KeyMap<Int64>()
  private(set) var sources = KeyMap<Int64>()

  init(entity: String, relationship: String, destination: String, inverse: String) {
    self.entity = entity
    self.relationship = relationship
    self.destination = destination
    self.inverse = inverse
  }

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

extension StoreContents {
  /// An empty store.
  init(_ model: ManagedObjectModel) {
    identifier = UUID()
    versionHashes = model.versionHashes
    entities = model.entities.map { entity in
      StoredEntity(name: entity.name, lastKey: 0, columns: entity.storedColumns(model))
    }
    links = model.entities.flatMap { entity in
      entity.relationships.compactMap { relationship in
        guard case .joinTable(_, _, _, writes: true) = relationship.storage,
          let inverse = model.inverse(of: relationship)
        else { return nil }
        return StoredLinks(
          entity: entity.name, relationship: relationship.name,
          destination: model.destination(of: relationship).name, inverse: inverse.name)
      }
    }
  }

  /// The same with entities, columns and pairs in the model's order, which may differ from that of the model that
  /// wrote them: order is not part of a version hash.
  ///
  /// - Throws: ``ObjectGraphError/incompatibleModel(file:entities:)``, or ``ObjectGraphError/damaged(file:_:)`` if
  ///   something is not there.
  func arranged(for model: ManagedObjectModel, file: String) throws -> StoreContents {
    let hashes = model.versionHashes
    guard versionHashes == hashes else {
      let names = Set(hashes.keys).union(versionHashes.keys)
      throw ObjectGraphError.incompatibleModel(
        file: file, entities: names.filter { hashes[$0] != versionHashes[$0] }.sorted())
    }
    var arranged = StoreContents(model)
    arranged.identifier = identifier
    for (place, entity) in arranged.entities.enumerated() {
      guard let stored = entities.first(where: { $0.name == entity.name }) else {
        throw ObjectGraphError.damaged(file: file, "it has no entity '\(entity.name)'")
      }
      let places = try entity.columns.map { column in
        guard let place = stored.columns.firstIndex(of: column) else {
          throw ObjectGraphError.damaged(file: file, "it has no \(entity.name).\(column.name) of the model's type")
        }
        return place
      }
      arranged.entities[place].lastKey = stored.lastKey
      arranged.entities[place].table =
        stored.columns == entity.columns
        ? stored.table
        : stored.table.mapRows { row in Row(version: row.version, values: places.map { row.values[$0] }) }
    }
    for (place, links) in arranged.links.enumerated() {
      guard
        let stored = self.links.first(where: { $0.entity == links.entity && $0.relationship == links.relationship })
      else { throw ObjectGraphError.damaged(file: file, "it has no \(links.entity).\(links.relationship)") }
      arranged.links[place] = stored
    }
    return arranged
  }
}

extension Entity {
  /// What is at each place of a row.
  func storedColumns(_ model: ManagedObjectModel) -> [StoredColumn] {
    attributes.map { StoredColumn(name: $0.name, kind: .attribute($0.type)) }
      + toOnes.map { StoredColumn(name: $0.name, kind: .toOne(destination: model.destination(of: $0).name)) }
  }
}
