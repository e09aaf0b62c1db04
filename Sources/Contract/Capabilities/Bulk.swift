/// The capability to write and delete many records in one request, such as a single SQL statement.
public protocol Bulk {
  /// Stores records in a collection, as one commit. A record replaces any earlier one with the same key.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  func importRecords(_ records: [Record], into collection: CollectionID) throws

  /// Deletes all records that the predicate finds in a collection, as one commit.
  ///
  /// - Returns: The number of deleted records.
  /// - Throws: ``StoreError``; the store is then unchanged.
  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int
}
