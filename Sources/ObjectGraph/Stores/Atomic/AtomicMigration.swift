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
          let old = columns[index].oldIndex.map { row[$0] } ?? .null
          return old.isNull ? columns[index].filling : old
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
