import Foundation

/// The migration of a binary or XML store to a newer model, in memory. Objects keep their primary keys and versions.
extension StoreContents {
  /// Returns the contents converted to a new model.
  ///
  /// - Throws: ``ObjectGraphError`` if no mapping can be inferred, or if objects violate the rules of the new model.
  func migrated(to model: ManagedObjectModel, file: String) throws -> StoreContents {
    let mapping = try MappingModel(inferringFrom: self.model, to: model, file: file)
    var new = StoreContents(model, identifier: identifier)
    for entity in mapping.entities {
      guard let source = entity.source else { continue }
      let columns = entity.columns
      new[entity.destination].lastKey = self[source].lastKey
      new[entity.destination].rows = self[source].rows.mapValues { row in
        Row(version: row.version, count: columns.count) { index in
          guard let oldIndex = columns[index].oldIndex, !row[oldIndex].isNull else {
            return columns[index].filling
          }
          return row[oldIndex]
        }
      }
    }
    for entity in model.entities {
      for relationship in entity.relationships {
        guard case .joinTable(let table, writes: true) = relationship.storage,
          let (old, owner, isReversed) = mapping.counterpart(of: relationship, in: entity)
        else { continue }
        for (source, destination) in pairs(of: old, in: owner) {
          new.pairs[table.name, default: StoredPairs()].set(
            isReversed ? destination : source, isReversed ? source : destination, isThere: true)
        }
      }
    }
    try new.check(mapping)
    return new
  }

  private func check(_ mapping: MappingModel) throws {
    let origin = StoreIdentifier(identifier)
    var all = StoreChanges()
    for entity in model.entities where !entity.constraints.isEmpty {
      all.inserted += self[entity].sorted.map { key, row in
        StoreChanges.NewRows(entity: entity, firstKey: key, values: [Array(row)][...])
      }
    }
    let shared = try UniquenessCheck(origin: origin) { _, _, _, _ in }.conflicts(in: all) { $0 }
    guard shared.isEmpty else { throw ObjectGraphError.constraints(shared) }
    try mapping.checkRequiredRelationships(origin) { relationship, entity in
      let sources = Set(pairs(of: relationship, in: entity).map(\.0))
      let lacking = self[entity].rows.keys.filter { !sources.contains($0) }.sorted()
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
    let migrated = try stored.migrated(to: model, file: name)
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
