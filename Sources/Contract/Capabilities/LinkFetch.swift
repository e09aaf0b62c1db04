/// The method by which an app reads linked objects, such as the courses of a student.
public enum LinkFetch: String, Sendable, CaseIterable {
  /// Lazy reading, as in Core Data: a linked object is read when it is first used.
  case faults
  /// Early reading: an object's linked objects are read together with the object, by one fetch for each relationship.
  case prefetch
  /// Reading by a join: one query reads all linked objects of a relationship.
  case join

  /// The workload option `fetch`, which selects the method of reading linked objects.
  public static let option = OptionSpec(
    "fetch", allCases.map(\.rawValue),
    help: """
      how linked objects are read: each when it is touched, all of a relationship with the first, or by a join; databases \
      join in any case, and a backend without native links reads them one by one
      """)

  /// Creates the value that the workload option `fetch` selects, such as ``join`` for `fetch=join`.
  public init(_ options: Options) { self = LinkFetch(rawValue: options[Self.option]) ?? .faults }
}

/// The capability to choose the method by which linked records are read: lazily, early or by a join.
public protocol LinkFetching: Relational {
  /// Sets the method of reading linked records.
  ///
  /// - Parameters:
  ///   - way: The method; ``LinkFetch/join`` before the first call. With the other methods, linked records stay in
  ///     memory until the next call of ``StorageBackend/record(_:in:)``.
  ///   - paths: For each collection, the paths of links that ``LinkFetch/prefetch`` follows from a record of the
  ///     collection. The other methods ignore the paths.
  /// - Throws: ``StoreError``, ``RelationError/undeclared(_:)``.
  func read(linked way: LinkFetch, prefetching paths: [CollectionID: [[LinkStep]]]) throws
}

/// A step along links from one record to other records, such as from a student to the student's courses.
public struct LinkStep: Hashable, Sendable {
  /// The relationship by which this step goes from one record to its linked records, such as from a student to courses.
  public var relationship: RelationshipID
  /// The direction in which this step goes from one record to its linked records: from source to destination, or back.
  public var direction: LinkDirection

  /// Creates a step from a record to its linked records, by one relationship in one direction.
  public init(_ relationship: RelationshipID, _ direction: LinkDirection) {
    self.relationship = relationship
    self.direction = direction
  }
}
