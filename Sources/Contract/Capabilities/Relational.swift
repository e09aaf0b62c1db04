/// The capability to link records with each other. Records with links must be deleted by this protocol's `commit`.
public protocol Relational {
  /// Declares the store's relationships. After each opening of the store, call this method before all others of this
  /// protocol, always with an equal schema.
  ///
  /// - Throws: ``StoreError``.
  func declare(_ schema: RelationSchema) throws

  /// Applies all changes to records and links in order, or no change. Applied changes have the promised safety level.
  ///
  /// - Throws: ``RelationError``, ``StoreError``; the store is then unchanged.
  func commit(_ changes: [RelationChange]) throws

  /// Returns the keys of the records that a relationship links with the record `key`, in ascending order. If no record
  /// has the key, the result is empty.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``.
  func keys(linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64]

  /// Passes the records linked with the record `key` to the closure `body`, in key order, until the closure returns
  /// false.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``, and the closure's errors.
  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws

  /// Returns the sorted keys of records with links to deleted records, which ``RecordDeleteRule/noAction`` keeps. If a
  /// new record gets a deleted record's key, the result depends on the engine.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``.
  func dangling(by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64]
}

extension Relational {
  /// Returns the keys of the destination records to which a relationship links the source record `key`, in ascending
  /// order.
  ///
  /// - Throws: The same errors as ``keys(linkedWith:by:_:)``.
  public func destinations(of key: Int64, by relationship: RelationshipID) throws -> [Int64] {
    try keys(linkedWith: key, by: relationship, .forward)
  }

  /// Returns the keys of the source records that a relationship links to the destination record `key`, in ascending
  /// order.
  ///
  /// - Throws: The same errors as ``keys(linkedWith:by:_:)``.
  public func sources(of key: Int64, by relationship: RelationshipID) throws -> [Int64] {
    try keys(linkedWith: key, by: relationship, .inverse)
  }
}

/// One change to the records or the links of a store.
public enum RelationChange: Sendable {
  /// The change that stores the record in place of any record with the same key. Links of a replaced record are kept.
  case put(Record, in: CollectionID = .records)
  /// The removal of a record, if it exists. The ``RecordDeleteRule`` of each relationship decides about the links and
  /// the linked records.
  case delete(Int64, in: CollectionID = .records)
  /// The addition of a link from a source to a destination record. A previous link is removed if only one is allowed.
  case link(Int64, to: Int64, by: RelationshipID)
  /// The change that removes the link between two records, if they are linked.
  case unlink(Int64, from: Int64, by: RelationshipID)
}

/// The reason why a change or a query of linked records was refused.
public enum RelationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The deletion of the record `key` is refused: the rule ``RecordDeleteRule/deny`` applies to `remaining` linked
  /// records.
  case denied(relationship: String, key: Int64, remaining: Int)
  /// The link cannot be made, because the record with this key does not exist in the collection.
  case missing(key: Int64, collection: CollectionID)
  /// The schema has no relationship with the given index, or no schema was declared.
  case undeclared(RelationshipID)

  public var description: String {
    switch self {
    case .denied(let relationship, let key, let remaining):
      "record \(key) is not deleted: \(relationship) denies it, \(remaining) linked record(s) would stay"
    case .missing(let key, let collection):
      "no link is made: there is no record \(key) in collection \(collection.index)"
    case .undeclared(let relationship):
      "relationship \(relationship.index) is not declared"
    }
  }
}
