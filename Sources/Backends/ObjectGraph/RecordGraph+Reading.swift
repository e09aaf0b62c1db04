import ObjectGraph
import StorageContract

/// Reading of records from the objects of the graph's context, including unsaved changes.
extension RecordGraph {
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = try record(key, in: collection) else { return false }
    try record.withView(body)
    return true
  }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    try StoreError.translating {
      let entity = try self.entity(collection)
      guard page.fetch != .join else { return try entity.object(key, context).map(entity.record) }
      page.turn()
      return try object(key, entity).map(entity.record)
    }
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    let (entity, objects) = try StoreError.translating {
      let entity = try self.entity(collection)
      return (entity, try context.fetchInBatches(entity.request(keys, batchSize: 500)))
    }
    for object in objects {
      let record = try StoreError.translating { try entity.record(object) }
      guard try record.withView(body) else { return }
    }
  }

  func records(_ keys: ClosedRange<Int64>, in collection: CollectionID) throws -> [Record] {
    try StoreError.translating {
      let entity = try self.entity(collection)
      return try context.fetch(entity.request(keys)).map(entity.record)
    }
  }

  func count(in collection: CollectionID) throws -> Int {
    try StoreError.translating {
      try context.count(for: FetchRequest<ManagedObject>(self.entity(collection).entity.name))
    }
  }
}
