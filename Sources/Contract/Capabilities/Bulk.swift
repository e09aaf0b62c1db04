/// The capability to write and delete many records in one request, which spares the engine the work for each single
/// change. Examples are a batch request of Core Data, a single SQL statement, and a cursor.
public protocol Bulk {
  /// Puts all records into a collection as one commit. A record replaces any stored record with the same key. If
  /// several given records have the same key, the last of them is stored.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  func importRecords(_ records: [Record], into collection: CollectionID) throws

  /// Deletes all records that the predicate finds, or none if an error occurs. When the call returns, the deletion
  /// survives the same crashes and power cuts as a commit.
  ///
  /// - Returns: The number of deleted records.
  /// - Throws: ``StoreError``; the store is then unchanged.
  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int
}
