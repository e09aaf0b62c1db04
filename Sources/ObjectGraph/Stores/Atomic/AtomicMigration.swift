import Foundation

/// The migration of a binary or XML store to a newer model, in memory. Objects keep their primary keys and versions.
struct AtomicMigration {
  private let old: StoreContents
  private let mapping: MappingModel

  init(_ old: StoreContents, to model: ManagedObjectModel, file: String) throws {
    self.old = old
    mapping = try MappingModel(inferringFrom: old.model, to: model, file: file)
  }

  /// Returns the contents of the store, converted to the new model.
  ///
  /// - Throws: ``ObjectGraphError`` if objects violate the rules of the new model.
  func run() throws -> StoreContents {
    var new = StoreContents(mapping.destination, identifier: old.identifier)
    for entity in mapping.entities {
      guard let source = entity.source else { continue }
      let columns = entity.columns
      new[entity.destination].lastKey = old[source].lastKey
      new[entity.destination].rows = old[source].rows.mapValues { row in
        Row(version: row.version, count: columns.count) { index in
          guard let oldIndex = columns[index].oldIndex, !row.values[oldIndex].isNull else {
            return columns[index].filling
          }
          return row.values[oldIndex]
        }
      }
    }
    for entity in mapping.destination.entities {
      for relationship in entity.relationships {
        guard case .joinTable(let table, writes: true) = relationship.storage else { continue }
        for (source, destination) in pairs(of: relationship, in: entity) {
          new.pairs[table.name, default: StoredPairs()].set(source, destination, isThere: true)
        }
      }
    }
    try check(new)
    return new
  }

  private func pairs(of relationship: Relationship, in entity: Entity) -> [(Int64, Int64)] {
    guard let counterpart = mapping.counterpart(of: relationship, in: entity) else { return [] }
    let pairs = old.pairs(of: counterpart.relationship, in: counterpart.owner)
    return counterpart.isReversed ? pairs.map { ($1, $0) } : pairs
  }

  private func check(_ new: StoreContents) throws {
    let origin = StoreIdentifier(new.identifier)
    var all = StoreChanges()
    for entity in new.model.entities where !entity.constraints.isEmpty {
      all.inserted += new[entity].sorted.map { key, row in
        StoreChanges.NewRows(entity: entity, firstKey: key, values: [Array(row.values)][...])
      }
    }
    let shared = try UniquenessCheck(origin: origin) { _, _, _, _ in }.conflicts(in: all) { $0 }
    guard shared.isEmpty else { throw ObjectGraphError.constraints(shared) }
    try mapping.checkRequiredRelationships(origin) { relationship, entity in
      let sources = Set(new.pairs(of: relationship, in: entity).map(\.0))
      let lacking = new[entity].rows.keys.filter { !sources.contains($0) }.sorted()
      return Array(lacking.prefix(MappingModel.greatestFailureCount))
    }
  }
}

extension AtomicStoreFile {
  /// Returns the contents of the store's file, migrated to `model` if necessary, or nil if the file does not exist.
  ///
  /// - Throws: An error if the options do not allow the migration. A failed migration leaves the file unchanged.
  mutating func load(for model: ManagedObjectModel, _ options: StoreOptions) throws -> StoreContents? {
    guard var stored = try load() else { return nil }
    let isOlder = try options.needsMigration(name, from: stored.model.versionHashes, to: model)
    // An equal model may declare its properties in another order.
    func layout(_ model: ManagedObjectModel) -> [[String]] {
      model.entities.map { $0.columns + SQLiteSchema.joinTables($0).map(\.name) }
    }
    guard isOlder || layout(stored.model) != layout(model) else {
      stored.model = model
      return stored
    }
    let migrated = try AtomicMigration(stored, to: model, file: name).run()
    do {
      if isOlder { try save(migrated, options.synchronous) }
      return migrated
    } catch {
      // Another process may have migrated the file first.
      guard try load()?.model.versionHashes == model.versionHashes else { throw error }
      return try load(for: model, options)
    }
  }
}
