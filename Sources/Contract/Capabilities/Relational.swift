/// The capability to link records with each other, and to maintain the links when records are deleted.
///
/// Links are kept for both ends: the inverse finds a forward link at once. Records with links are deleted here and not
/// through ``StorageBackend/commit(_:)``, which ignores links.
public protocol Relational {
  /// Declares the relationships, and creates the structures that the engine needs for them. Call it once after each
  /// opening, before any other member here, with the same schema every time.
  ///
  /// - Throws: ``StoreError``.
  func declare(_ schema: RelationSchema) throws

  /// Applies changes in order, all or none, and returns when they are as safe as the level requires. Each change sees
  /// those before it.
  ///
  /// - Throws: ``RelationError``, ``StoreError``; the store then holds what it held before.
  func commit(_ changes: [RelationChange]) throws

  /// Returns the keys that a record is linked with, in ascending order; none if there is no such record.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``.
  func keys(
    linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection
  ) throws -> [Int64]

  /// Passes the records that a record is linked with, in key order, until the body returns false. This is the join.
  ///
  /// - Throws: ``RelationError/undeclared(_:)``, ``StoreError``, and the body's errors.
  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws
}

extension Relational {
  /// Returns the keys that a source is linked to, in ascending order.
  ///
  /// - Throws: As ``keys(linkedWith:by:_:)``.
  public func destinations(of key: Int64, by relationship: RelationshipID) throws -> [Int64] {
    try keys(linkedWith: key, by: relationship, .forward)
  }

  /// Returns the keys that are linked to a destination, in ascending order.
  ///
  /// - Throws: As ``keys(linkedWith:by:_:)``.
  public func sources(of key: Int64, by relationship: RelationshipID) throws -> [Int64] {
    try keys(linkedWith: key, by: relationship, .inverse)
  }
}

/// One change to records with links.
public enum RelationChange: Sendable {
  /// Stores the record and replaces the one with the same key, whose links it keeps.
  case put(Record, in: CollectionID = .records)
  /// Removes the record with the key, if there is one, and applies the delete rules to the records that it is linked
  /// with.
  ///
  /// First all records that cascading reaches are collected, each once, so cycles end. If ``RecordDeleteRule/deny``
  /// links one of them with a record that would stay, nothing is deleted. Otherwise all of them are deleted with their
  /// links.
  case delete(Int64, in: CollectionID = .records)
  /// Links a source to a destination. If an end allows only one link, its previous link is removed. Linking records
  /// that are already linked does nothing.
  case link(Int64, to: Int64, by: RelationshipID)
  /// Removes a link, if there is one.
  case unlink(Int64, from: Int64, by: RelationshipID)
}

/// The reason why a change of linked records was refused.
public enum RelationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The record cannot be deleted: a relationship with ``RecordDeleteRule/deny`` links it with records that would stay.
  case denied(relationship: String, key: Int64, remaining: Int)
  /// A link needs both of its records, and this one does not exist.
  case missing(key: Int64, collection: CollectionID)
  /// The schema has no relationship with this index, or no schema was declared.
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
