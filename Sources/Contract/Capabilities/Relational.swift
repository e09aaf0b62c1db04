/// The capability to link records with each other, and to keep the links right when records are deleted.
///
/// Links are kept from both ends: whatever is linked forward is found by the inverse, at once. Records that have
/// links are deleted here and not through ``StorageBackend/commit(_:)``, which knows nothing of them.
public protocol Relational {
  /// Says which relationships there are, and creates what the engine needs for them. Called once after each opening,
  /// before anything else here, with the same schema every time.
  ///
  /// - Throws: ``StoreError``.
  func declare(_ schema: RelationSchema) throws

  /// Applies changes in order, all or none, and returns when they are as safe as the level says. Each change sees
  /// those before it.
  ///
  /// - Throws: ``RelationError``, ``StoreError``; the store then holds what it held before.
  func commit(_ changes: [RelationChange]) throws

  /// The keys that a record is linked with, in ascending order; none if there is no such record.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``.
  func keys(
    linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection
  ) throws -> [Int64]

  /// Passes the records that a record is linked with, in key order, until the body returns false: the join.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``, and what the body throws.
  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws
}

extension Relational {
  /// The keys that a source is linked to, in ascending order.
  ///
  /// - Throws: As ``keys(linkedWith:by:_:)``.
  public func destinations(of key: Int64, by relationship: RelationshipID) throws -> [Int64] {
    try keys(linkedWith: key, by: relationship, .forward)
  }

  /// The keys that are linked to a destination, in ascending order.
  ///
  /// - Throws: As ``keys(linkedWith:by:_:)``.
  public func sources(of key: Int64, by relationship: RelationshipID) throws -> [Int64] {
    try keys(linkedWith: key, by: relationship, .inverse)
  }
}

/// One change to records with links.
public enum RelationChange: Sendable {
  /// Store the record, in place of one with the same key, whose links it keeps.
  case put(Record, in: CollectionID = .records)
  /// Remove the record with the key, if there is one, and treat what it is linked with by the delete rules.
  ///
  /// First everything is found that cascading reaches, each record once, so cycles end. If a record found so is
  /// linked by ``RecordDeleteRule/deny`` with one that would stay, nothing is deleted. Otherwise all are, with their links.
  case delete(Int64, in: CollectionID = .records)
  /// Link a source to a destination. Where only one is allowed at an end, the link there is before is removed.
  /// Linking what is linked does nothing.
  case link(Int64, to: Int64, by: RelationshipID)
  /// Remove a link, if there is one.
  case unlink(Int64, from: Int64, by: RelationshipID)
}

/// Why a change of linked records was refused.
public enum RelationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The record cannot be deleted: by a relationship with ``RecordDeleteRule/deny`` it is linked with records that would
  /// stay.
  case denied(relationship: String, key: Int64, remaining: Int)
  /// A link needs both its records, and this one is not there.
  case missing(key: Int64, collection: CollectionID)
  /// The schema has no relationship at this place, or none was declared.
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
