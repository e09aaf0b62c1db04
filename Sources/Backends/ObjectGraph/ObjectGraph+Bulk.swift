import ObjectGraph
import StorageContract

/// Batch requests: past the context, as apps import and purge with Core Data.
extension ObjectGraphBackend: Bulk {
  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    try batch { context in
      let entity = try graph.entity(collection)
      // A record takes the place of the one with its key: the constraint and this policy make an upsert.
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

  /// Runs batch requests in a context of their own, after which the other one forgets what it knew.
  private func batch<Result>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
    guard !isInTransaction else {
      throw StoreError.failed("a transaction is running; make changes through the transaction")
    }
    return try StoreError.translating {
      defer { graph.context.reset() }
      return try body(ManagedObjectContext(graph.coordinator, .confinement))
    }
  }
}
