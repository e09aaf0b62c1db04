import ObjectGraph
import StorageContract

/// Bulk imports and deletions by batch requests, as in Core Data. Batch requests bypass the managed object context.
extension ObjectGraphBackend: Bulk {
  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    try batch { context in
      let entity = try graph.entity(collection)
      // The unique constraint and the merge policy make the insertion an upsert.
      context.mergePolicy = .mergeByPropertyObjectTrump
      var next = 0
      try context.execute(
        BatchInsertRequest(entity.entity.name) { object in
          guard next < records.count else { return true }
          try entity.set(object, to: records[next])
          next += 1
          return false
        })
    }
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try batch { context in
      try context.execute(BatchDeleteRequest(try graph.entity(collection).request(predicate)))
    }
  }

  /// Passes a new managed object context for batch requests to the body. Then resets the main context, whose objects
  /// may be outdated.
  private func batch<Result>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
    guard !isInTransaction else { throw StoreError.changeBesideTransaction }
    return try StoreError.translating {
      defer { graph.context.reset() }
      return try body(ManagedObjectContext(graph.coordinator, .confinement))
    }
  }
}

/// Schema changes by reopening the store with a changed model, as in Core Data. For a split of an entity in two, the
/// records are changed one by one instead.
extension ObjectGraphBackend: Migrating {
  func change(_ change: SchemaChange, in collection: CollectionID) throws {
    if case .split = change { return try changeRecords(by: change, in: collection) }
    try StoreError.translating {
      guard try !change.isMade(attributes(in: collection)) else { return }
      try graph.migrate(collection) { entity in
        switch change {
        case .add(let attribute):
          entity.attributes.append(
            AttributeDescription(
              RecordEntity.name(of: attribute), .string, default: .string(attribute.defaultValue)))
        case .rename(let old, let new):
          for index in entity.attributes.indices where entity.attributes[index].name == RecordEntity.name(of: old) {
            entity.attributes[index].renamingIdentifier = RecordEntity.name(of: old)
            entity.attributes[index].name = RecordEntity.name(of: new)
          }
        case .drop(let attribute, _): entity.attributes.removeAll { $0.name == RecordEntity.name(of: attribute) }
        case .split: break
        }
      }
    }
  }

  func attributes(in collection: CollectionID) throws -> Set<String> {
    let names = try graph.entity(collection).entity.attributes.map(\.name)
    let prefix = RecordEntity.addedPrefix
    return Set(names.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) })
  }

  func scan(
    _ keys: ClosedRange<Int64>, with attribute: AddedAttribute, in collection: CollectionID,
    _ body: (RecordView, _ value: String) throws -> Bool
  ) throws {
    let (entity, added, objects) = try StoreError.translating {
      let entity = try graph.entity(collection)
      return (
        entity, entity.added(attribute),
        try graph.context.fetchInBatches(entity.request(keys, batchSize: 500))
      )
    }
    for object in objects {
      let (record, value) = try StoreError.translating {
        (try entity.record(object), try added.map { try object.value(of: $0) })
      }
      // The attribute is missing if a program without the attribute in its model has stored the record.
      let text = if case .string(let text) = value { text } else { attribute.defaultValue }
      guard try record.withView({ try body($0, text) }) else { return }
    }
  }

  func set(_ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID) throws -> Bool {
    try StoreError.translating {
      let entity = try graph.entity(collection)
      guard let object = try entity.object(key, graph.context) else { return false }
      guard let added = entity.added(attribute) else {
        throw StoreError.failed(
          "attribute '\(attribute.name)' of a record cannot be set, because its collection has no such attribute yet; "
            + "add it first")
      }
      try saving { try object.set(added, to: .string(value)) }
      return true
    }
  }
}

extension RecordEntity {
  fileprivate static func name(of attribute: AddedAttribute) -> String { addedPrefix + attribute.name }

  fileprivate func added(_ attribute: AddedAttribute) -> Attribute? {
    entity.attributes.first { $0.name == Self.name(of: attribute) }
  }
}
