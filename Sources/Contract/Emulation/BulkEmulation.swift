/// Bulk imports and deletions for an engine without them: one ordinary commit of all changes.
struct BulkEmulation: Bulk {
  let store: any StorageBackend

  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    try store.commit(records.map { .put($0, in: collection) })
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    var deletions: [Change] = []
    try Capability.querying(of: store).value.find(RecordQuery(predicate), in: collection) { view in
      deletions.append(.delete(view.id, in: collection))
      return true
    }
    if !deletions.isEmpty { try store.commit(deletions) }
    return deletions.count
  }
}
