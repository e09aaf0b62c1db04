/// The capability to link records with each other, and to maintain the links when records are deleted.
///
/// A link can be followed from both of its records. To delete records with links, use this protocol's `commit`;
/// ``StorageBackend/commit(_:)`` ignores links.
public protocol Relational {
  /// Declares the relationships, and creates the structures that the engine needs for them. Call this method once after
  /// each opening, before other members of the protocol, with the same schema every time.
  ///
  /// - Throws: ``StoreError``.
  func declare(_ schema: RelationSchema) throws

  /// Applies changes of records and links in order, all or none. Returns when the changes are as safe from a crash and
  /// a power cut as the promised durability level requires. Each change sees the changes before it.
  ///
  /// - Throws: ``RelationError``, ``StoreError``; the store is then unchanged.
  func commit(_ changes: [RelationChange]) throws

  /// Returns the keys of all records that a record is linked with, in ascending order. A missing record has no links.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``.
  func keys(linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64]

  /// Follows the links of a record (a join), and passes each linked record to the body, in key order, until the body
  /// returns false.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``, and the body's errors.
  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws

  /// Returns the keys of the records with a dangling link, in ascending order. Such a link leads from the record to a
  /// deleted record, by the given relationship and direction.
  ///
  /// Only the rule ``RecordDeleteRule/noAction`` leaves dangling links. If a new record gets the deleted record's key,
  /// the engine determines whether the link leads to the new record.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``.
  func dangling(by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64]
}

extension Relational {
  /// Returns the keys of the destination records that a source record is linked to by a relationship, in ascending
  /// order.
  ///
  /// - Throws: The same errors as ``keys(linkedWith:by:_:)``.
  public func destinations(of key: Int64, by relationship: RelationshipID) throws -> [Int64] {
    try keys(linkedWith: key, by: relationship, .forward)
  }

  /// Returns the keys of the source records that are linked to a destination record by a relationship, in ascending
  /// order.
  ///
  /// - Throws: The same errors as ``keys(linkedWith:by:_:)``.
  public func sources(of key: Int64, by relationship: RelationshipID) throws -> [Int64] {
    try keys(linkedWith: key, by: relationship, .inverse)
  }
}

/// One change to the records or the links of a store.
public enum RelationChange: Sendable {
  /// The change that stores the record. It replaces any record with the same key and keeps that record's links.
  case put(Record, in: CollectionID = .records)
  /// The change that removes the record with the key, if it exists, and applies the delete rules to its linked records.
  ///
  /// First all records that ``RecordDeleteRule/cascade`` reaches are collected, each only once, so cycles end. If a
  /// relationship with ``RecordDeleteRule/deny`` links a collected record with a record that would stay, nothing is
  /// deleted. Otherwise all collected records are deleted with their links.
  case delete(Int64, in: CollectionID = .records)
  /// The change that links a source record to a destination record. If one of the two may have only one link, its
  /// previous link is removed. A link that exists already is not changed.
  case link(Int64, to: Int64, by: RelationshipID)
  /// The change that removes the link between two records, if they are linked.
  case unlink(Int64, from: Int64, by: RelationshipID)
}

/// The reason why a change of linked records was refused.
public enum RelationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The record cannot be deleted: a relationship with ``RecordDeleteRule/deny`` links it with records that would stay.
  /// `remaining` is the number of these records.
  case denied(relationship: String, key: Int64, remaining: Int)
  /// The link cannot be made, because one of its two records does not exist.
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
