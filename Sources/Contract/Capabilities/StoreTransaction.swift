/// A readable state of the store, for use inside a block (the closure of a read or a transaction). While the block
/// runs, only the block can change the state.
///
/// A snapshot has the reading members of ``StorageBackend`` with the same meaning. Reads may be nested: the body of a
/// scan may read and scan again. A snapshot is valid only inside its block; later calls throw
/// ``StoreError/failed(_:)``.
public protocol StoreSnapshot {
  /// Passes the record with the key to the body.
  ///
  /// - Returns: Whether a record has the key; if not, the body is not called.
  /// - Throws: ``StoreError``, and the body's errors.
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool

  /// Passes the records whose keys are in the range to the body, in key order, until the body returns false.
  ///
  /// - Throws: ``StoreError``, and the body's errors.
  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws

  /// Returns the number of records in a collection.
  ///
  /// - Throws: ``StoreError``.
  func count(in collection: CollectionID) throws -> Int
}

extension StoreSnapshot {
  /// Returns the record with the key as Swift values, or nil.
  ///
  /// - Throws: ``StoreError``.
  public func record(_ key: Int64, in collection: CollectionID = .records) throws -> Record? {
    var found: Record?
    _ = try read(key, in: collection) { found = $0.record() }
    return found
  }

  /// Returns the records whose keys are in the range as Swift values, in key order.
  ///
  /// - Throws: ``StoreError``.
  public func records(_ keys: ClosedRange<Int64> = .all, in collection: CollectionID = .records) throws -> [Record] {
    var records: [Record] = []
    try scan(keys, in: collection) { view in
      records.append(view.record())
      return true
    }
    return records
  }
}

/// A snapshot (a readable state of the store) that can be changed. The transaction reads its own changes. Other readers
/// see the changes after the block, the closure that runs in the transaction, has ended.
public protocol StoreTransaction: StoreSnapshot {
  /// Makes one change to the store. Later reads of the transaction see the change.
  ///
  /// - Throws: ``StoreError``. During a scan of a collection, a change to this collection throws
  ///   ``StoreError/failed(_:)``, because engines differ in the records that the rest of the scan would see.
  func apply(_ change: Change) throws

  /// Makes several changes to the store, in order. The default makes them one by one. Override the default if the
  /// engine can look up many records at once.
  ///
  /// - Throws: The same errors as ``apply(_:)``. Some of the changes may then have been made.
  func apply(together changes: [Change]) throws
}

extension StoreTransaction {
  public func apply(together changes: [Change]) throws { for change in changes { try apply(change) } }

  /// Stores the record and replaces the record with the same key.
  ///
  /// - Throws: The same errors as ``apply(_:)``.
  public func put(_ record: Record, in collection: CollectionID = .records) throws {
    try apply(.put(record, in: collection))
  }

  /// Removes the record with the key, if it exists.
  ///
  /// - Throws: The same errors as ``apply(_:)``.
  public func delete(_ key: Int64, in collection: CollectionID = .records) throws {
    try apply(.delete(key, in: collection))
  }
}
