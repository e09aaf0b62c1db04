/// The capability to write and delete many records in one request, without the work that an engine does for each single
/// change: Core Data's batch requests, one SQL statement, a cursor.
public protocol Bulk {
  /// Puts all records into a collection as one commit. A record replaces the one with the same key. If several of the
  /// records have the same key, the last one stays.
  ///
  /// - Throws: ``StoreError``; the store then holds what it held before.
  func importRecords(_ records: [Record], into collection: CollectionID) throws

  /// Deletes every record that the predicate finds, or none if it fails. The result is as safe as a commit when this
  /// returns.
  ///
  /// - Returns: The number of deleted records.
  /// - Throws: ``StoreError``; the store then holds what it held before.
  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int
}
