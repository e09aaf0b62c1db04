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
    var new = StoreContents(mapping.destination, identifier: old.identifier)
    for (place, entity) in mapping.entities.enumerated() {
      guard let source = entity.source else { continue }
      let (columns, stored) = (columns(entity), old.entities[source.number - 1])
      new.entities[place].lastKey = stored.lastKey
      for (key, row) in stored.table {
        new.entities[place].table[key] = Row(version: row.version, values: columns.map { $0(row) })
      }
    }
    for (place, paired) in mapping.destination.pairedRelationships.enumerated() {
      for (source, destination) in pairs(of: paired) {
        new.pairs[place].set(source, destination, isThere: true)
      }
    }
    try check(new)
    return new
  }

  /// The value of each column of a new row from the old row.
  private func columns(_ entity: MappingModel.EntityMapping) -> [(Row) -> Value] {
    let attributes = zip(entity.destination.attributes, entity.attributes).map { attribute, old in
      let isFilled = old.map { $0.isOptional && !attribute.isOptional } ?? true
      return (place: old?.index, filling: isFilled ? attribute.defaultValue : .null)
    }
    let toOnes = entity.destination.toOnes.map { relationship -> (place: Int?, filling: Value) in
      guard case .column(let place)? = entity.relationships[relationship.index]?.storage else { return (nil, .null) }
      return (place, .null)
    }
    return (attributes + toOnes).map { place, filling in
      { row in
        guard let place, !row.values[place].isNull else { return filling }
        return row.values[place]
      }
    }
  }

  /// The pairs of a many-to-many relationship, however they were kept; it may be known by its inverse.
  private func pairs(of paired: PairedRelationship) -> [(Int64, Int64)] {
    func pairs(_ relationship: Relationship, _ entity: Entity) -> [(Int64, Int64)]? {
      guard let source = mapping.source(of: relationship, in: entity),
        let owner = mapping.entities[entity.number - 1].source
      else { return nil }
      return old.pairs(of: source, in: owner)
    }
    let model = mapping.destination
    if let found = pairs(paired.relationship, paired.entity) { return found }
    guard let inverse = model.inverse(of: paired.relationship) else { return [] }
    return pairs(inverse, model.destination(of: paired.relationship))?.map { ($1, $0) } ?? []
  }

  /// Checks what the new model demands of all objects together.
  private func check(_ new: StoreContents) throws {
    let origin = StoreIdentifier(new.identifier)
    for entity in new.model.entities {
      for places in entity.constraints {
        var keys: [IndexKey: Int64] = [:]
        for (key, row) in new.entities[entity.number - 1].table {
          guard let values = IndexKey(row.values, places), let other = keys.updateValue(key, forKey: values) else {
            continue
          }
          throw ObjectGraphError.constraints([
            ConstraintConflict(
              constraint: places.map { entity.propertyName(at: $0) }, entity: entity.name,
              objectID: ManagedObjectID(entity: entity, origin: origin, key: other),
              others: [ManagedObjectID(entity: entity, origin: origin, key: key)], values: values)
          ])
        }
      }
    }
    try mapping.checkRequiredRelationships(origin) { relationship, entity in
      let sources = Set(new.pairs(of: relationship, in: entity).map(\.0))
      let lacking = new.entities[entity.number - 1].table.lazy.map(\.key).filter { !sources.contains($0) }
      return Array(lacking.prefix(MappingModel.greatestFailureCount))
    }
  }
}

extension AtomicStoreFile {
  /// All that is in the file, laid out by a model, or nil if there is none. What another model has made is migrated
  /// and written, if the options say so.
  ///
  /// - Throws: ``ObjectGraphError``; the file is then as before.
  mutating func load(for model: ManagedObjectModel, _ options: StoreOptions) throws -> StoreContents? {
    let deadline = ContinuousClock.now + options.busyTimeout
    while var stored = try load() {
      let isOlder = try options.needsMigration(name, from: stored.model.versionHashes, to: model)
      // The same model may declare its properties in another order.
      if !isOlder, stored.model.layout == model.layout {
        stored.model = model
        return stored
      }
      let migrated = try AtomicMigration(stored, to: model, file: name).run()
      guard isOlder else { return migrated }
      do {
        try save(migrated, options.synchronous)
        return migrated
      } catch {
        if case ObjectGraphError.busy = error, ContinuousClock.now < deadline {
          usleep(10_000)
          continue
        }
        // Another process may have been quicker.
        guard try load()?.model.versionHashes == model.versionHashes else { throw error }
      }
    }
    return nil
  }
}
