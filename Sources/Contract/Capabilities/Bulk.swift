/// The capability to write and delete many records in one request, past whatever an engine does for each change: Core
/// Data's batch requests, one statement of SQL, a cursor.
public protocol Bulk {
  /// Puts all records into a collection in one go, as one commit would: a record takes the place of one with the same key,
  /// and of several with the same key the last one stays.
  ///
  /// - Throws: ``StoreError``; the store then holds what it held before.
  func importRecords(_ records: [Record], into collection: CollectionID) throws

  /// Deletes every record that the predicate finds, all or none; safe as a commit when it returns.
  ///
  /// - Returns: How many there were.
  /// - Throws: ``StoreError``; the store then holds what it held before.
  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int
}
