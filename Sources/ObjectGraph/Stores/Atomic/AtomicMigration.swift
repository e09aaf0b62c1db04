import Foundation

/// Makes what a file of an older model holds the same for this model, in memory. The file is then replaced as by a
/// save: whoever dies in the middle leaves the old one or the new one.
///
/// Keys, versions and the last keys used stay, as in ``SQLiteMigration``.
struct AtomicMigration {
  private let old: StoreContents
  private let mapping: MappingModel

  /// - Parameter file: The store's, for messages.
  /// - Throws: ``ObjectGraphError/cannotInferMapping(file:_:)``.
  init(_ old: StoreContents, to model: ManagedObjectModel, file: String) throws {
    self.old = old
    mapping = try MappingModel(inferringFrom: old.model, to: model, file: file)
  }

  /// - Throws: ``ObjectGraphError/validation(_:)`` or ``ObjectGraphError/constraints(_:)`` if objects lack a
  ///   relationship that becomes required or share values that become unique.
  func run() throws -> StoreContents {
    let model = mapping.destination
    var new = StoreContents(model, identifier: old.identifier)
    for (place, entity) in mapping.entities.enumerated() {
      guard let source = entity.source else { continue }
      let stored = old.entities[source.number - 1]
      let origins = origins(entity, source)
      new.entities[place].lastKey = stored.lastKey
      new.entities[place].table = stored.table.mapRows { row in
        Row(version: row.version, values: origins.map { $0.value(in: row) })
      }
    }
    for (place, paired) in model.pairedRelationships.enumerated() {
      for (source, destination) in pairs(of: paired) { new.pairs[place].insert(source, destination) }
    }
    try AtomicMigrationCheck(new, mapping).run()
    return new
  }

  // MARK: - Rows

  /// Where the value of a new column comes from.
  private struct Origin {
    /// The old column's place, or nil if it is new.
    let place: Int?
    /// What stands where there is no value.
    let filling: Value

    func value(in row: Row) -> Value {
      guard let place, !row.values[place].isNull else { return filling }
      return row.values[place]
    }
  }

  private func origins(_ entity: MappingModel.EntityMapping, _ source: Entity) -> [Origin] {
    let attributes = zip(entity.destination.attributes, entity.attributes).map { attribute, old in
      let isFilled = old.map { $0.isOptional && !attribute.isOptional } ?? true
      return Origin(place: old?.index, filling: isFilled ? attribute.defaultValue : .null)
    }
    let toOnes = entity.destination.toOnes.map { relationship in
      guard case .column(let place)? = entity.relationships[relationship.index]?.storage else {
        return Origin(place: nil, filling: .null)
      }
      return Origin(place: place, filling: .null)
    }
    return attributes + toOnes
  }

  // MARK: - Pairs

  /// The pairs of a many-to-many relationship, however they were kept.
  private func pairs(of paired: PairedRelationship) -> [(Int64, Int64)] {
    let model = mapping.destination
    if let relationship = mapping.source(of: paired.relationship, in: paired.entity),
      let owner = mapping.entities[paired.entity.number - 1].source
    {
      return pairs(of: relationship, owner)
    }
    // It may be known by its inverse.
    let destination = model.destination(of: paired.relationship)
    guard let inverse = model.inverse(of: paired.relationship),
      let relationship = mapping.source(of: inverse, in: destination),
      let owner = mapping.entities[destination.number - 1].source
    else { return [] }
    return pairs(of: relationship, owner).map { ($1, $0) }
  }

  private func pairs(of relationship: Relationship, _ owner: Entity) -> [(Int64, Int64)] {
    switch relationship.storage {
    case .column(let place): return pairs(in: owner, place)
    case .inverseColumn:
      guard case .column(let place)? = mapping.source.inverse(of: relationship)?.storage else { return [] }
      return pairs(in: mapping.source.destination(of: relationship), place).map { ($1, $0) }
    case .joinTable(let name, _, _, let writes):
      guard let place = mapping.source.pairedRelationships.firstIndex(where: { $0.table == name }) else { return [] }
      let pairs = old.pairs[place]
      return pairs.destinations.values.flatMap { source in
        pairs.destinations[source].map { writes ? (source, $0) : ($0, source) }
      }
    }
  }

  /// The keys of an entity's rows with those in a column.
  private func pairs(in entity: Entity, _ place: Int) -> [(Int64, Int64)] {
    old.entities[entity.number - 1].table.compactMap { key, row in
      guard case .integer(let other) = row.values[place] else { return nil }
      return (key, other)
    }
  }
}

/// What a new model demands of all objects together.
private struct AtomicMigrationCheck {
  private let contents: StoreContents
  private let mapping: MappingModel
  private let origin: StoreIdentifier

  init(_ contents: StoreContents, _ mapping: MappingModel) {
    self.contents = contents
    self.mapping = mapping
    origin = StoreIdentifier(contents.identifier)
  }

  func run() throws {
    for entity in contents.model.entities {
      for places in entity.constraints { try checkUnique(places, entity) }
    }
    try mapping.checkRequiredRelationships(origin, lacking: lacking)
  }

  private func checkUnique(_ places: [Int], _ entity: Entity) throws {
    var keys: [IndexKey: Int64] = [:]
    for (key, row) in contents.entities[entity.number - 1].table {
      guard let values = IndexKey(row.values, places) else { continue }
      guard let other = keys.updateValue(key, forKey: values) else { continue }
      throw ObjectGraphError.constraints([
        ConstraintConflict(
          constraint: places.map { entity.propertyName(at: $0) }, entity: entity.name,
          objectID: ManagedObjectID(entity: entity, origin: origin, key: other),
          others: [ManagedObjectID(entity: entity, origin: origin, key: key)], values: values)
      ])
    }
  }

  private func lacking(_ relationship: Relationship, _ entity: Entity) -> [Int64] {
    let table = contents.entities[entity.number - 1].table
    let isEmpty: (Int64, Row) -> Bool
    switch relationship.storage {
    case .column(let place): isEmpty = { $1.values[place].isNull }
    case .inverseColumn:
      guard case .column(let place)? = contents.model.inverse(of: relationship)?.storage else { return [] }
      let destination = contents.model.destination(of: relationship)
      let reached = Set(contents.entities[destination.number - 1].table.map { $0.row.values[place] })
      isEmpty = { key, _ in !reached.contains(.integer(key)) }
    case .joinTable(let name, _, _, let writes):
      guard let place = contents.model.pairedRelationships.firstIndex(where: { $0.table == name }) else { return [] }
      let pairs = contents.pairs[place]
      isEmpty = { key, _ in (writes ? pairs.destinations[key] : pairs.sources[key]).isEmpty }
    }
    return Array(table.lazy.filter { isEmpty($0.key, $0.row) }.map(\.key).prefix(MappingModel.greatestFailureCount))
  }
}

extension StoreFile {
  /// All that is in the file, laid out by a model, or nil if there is none. What another model has made is migrated
  /// and written, if the options say so.
  ///
  /// - Throws: ``ObjectGraphError``; the file is then as before.
  mutating func load(for model: ManagedObjectModel, _ options: StoreOptions) throws -> StoreContents? {
    let deadline = ContinuousClock.now + options.busyTimeout
    while let stored = try load() {
      guard try options.needsMigration(name, from: stored.model.versionHashes, to: model) else {
        return stored.arranged(for: model)
      }
      let migrated = try AtomicMigration(stored, to: model, file: name).run()
      do {
        try save(migrated, options.synchronous)
        return migrated
      } catch {
        if case ObjectGraphError.busy = error, ContinuousClock.now < deadline {
          usleep(10_000)
          continue
        }
        // Another process may have been quicker.
        guard let other = try load(), other.model.versionHashes == model.versionHashes else { throw error }
        return other.arranged(for: model)
      }
    }
    return nil
  }
}
