import ObjectGraph
import StorageContract

/// Batch requests, which bypass the context, as apps import and purge with Core Data.
extension ObjectGraphBackend: Bulk {
  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    try batch { context in
      let entity = try graph.entity(collection)
      // The unique constraint and this policy make the insertion an upsert.
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

  /// Runs batch requests in a separate context, and then resets the main one.
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
