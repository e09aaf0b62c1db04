/// The capability to link records with each other.
///
/// A link can be followed from both of its records. To delete records with links, use this protocol's `commit`;
/// ``StorageBackend/commit(_:)`` ignores links.
public protocol Relational {
  /// Declares the relationships of the store. Each time the store is opened, call this method once, with the same
  /// schema, before any other member of this protocol.
  ///
  /// - Throws: ``StoreError``.
  func declare(_ schema: RelationSchema) throws

  /// Applies all of the changes to records and links in order, or none of them. Each change sees the changes before it.
  /// When the call returns, the changes have the promised safety from crashes and power cuts.
  ///
  /// - Throws: ``RelationError``, ``StoreError``; the store is then unchanged.
  func commit(_ changes: [RelationChange]) throws

  /// Returns the keys of the records that a relationship links with the record `key`, in ascending order. A missing
  /// record has no links.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``.
  func keys(linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64]

  /// Follows the links of a record by one relationship, and passes each linked record to the closure `body`, in key
  /// order, until the closure returns false.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``, and the closure's errors.
  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws

  /// Returns the keys of the records that a relationship still links to a deleted record, in ascending order. Only the
  /// rule ``RecordDeleteRule/noAction`` leaves such links.
  ///
  /// If a new record gets the key of a deleted one, the result depends on the engine.
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
  /// The change that removes the record with the key, if it exists, and the record's links.
  ///
  /// A ``RecordDeleteRule`` decides about the linked records: `cascade`, for example, also removes them. If the rule
  /// `deny` applies to a linked record that would stay, nothing is removed. The rule `noAction` keeps the links.
  case delete(Int64, in: CollectionID = .records)
  /// The change that links a source record to a destination record. If the relationship allows a record only one link,
  /// the record's previous link is removed. A link that exists already is not changed.
  case link(Int64, to: Int64, by: RelationshipID)
  /// The change that removes the link between two records, if they are linked.
  case unlink(Int64, from: Int64, by: RelationshipID)
}

/// The reason why a change or a query of linked records was refused.
public enum RelationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The deletion of the record `key` is refused. A relationship with the rule ``RecordDeleteRule/deny`` links the
  /// record with `remaining` records that are not deleted together with it.
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
