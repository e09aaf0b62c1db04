/// A view of one state of a store, valid only during a read or transaction. Later calls throw
/// ``StoreError/failed(_:)``. Reads may be nested.
public protocol StoreSnapshot {
  /// Passes the record with the key to the closure `body`.
  ///
  /// - Returns: Whether a record has the key. If not, the closure is not called.
  /// - Throws: ``StoreError``, and the closure's errors.
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool

  /// Passes the records whose keys are in the range to the closure `body`, in key order, until the closure returns
  /// false.
  ///
  /// - Throws: ``StoreError``, and the closure's errors.
  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws

  /// Returns the number of records in a collection.
  ///
  /// - Throws: ``StoreError``.
  func count(in collection: CollectionID) throws -> Int
}

extension StoreSnapshot {
  /// Returns the record with the key, or nil if no record has the key. The record stays valid after the transaction.
  ///
  /// - Throws: ``StoreError``.
  public func record(_ key: Int64, in collection: CollectionID = .records) throws -> Record? {
    var found: Record?
    _ = try read(key, in: collection) { found = $0.record() }
    return found
  }

  /// Returns the records whose keys are in the range, in key order. The records stay valid after the transaction.
  ///
  /// - Throws: ``StoreError``.
  public func records(_ keys: ClosedRange<Int64> = .all, in collection: CollectionID = .records) throws -> [Record] {
    try collect { try scan(keys, in: collection, $0) }
  }
}

/// A view of a store in which a transaction reads and makes changes. Other readers see the changes only after the
/// transaction has ended.
public protocol StoreTransaction: StoreSnapshot {
  /// Makes one change in a transaction. Later reads of the transaction see the change.
  ///
  /// - Throws: ``StoreError``, also if the transaction is scanning the changed collection at that time.
  func apply(_ change: Change) throws

  /// Makes several changes in order, as part of a transaction. The default implementation calls ``apply(_:)`` for each.
  ///
  /// - Throws: The same errors as ``apply(_:)``, possibly after some changes.
  func apply(together changes: [Change]) throws
}

extension StoreTransaction {
  public func apply(together changes: [Change]) throws { for change in changes { try apply(change) } }

  /// Stores the record, in place of any record with the same key.
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
