/// The method by which an app with an object graph reads linked objects.
public enum LinkFetch: String, Sendable, CaseIterable {
  /// The linked keys are read when the relationship is first used, and each object when it is used: `student.courses`.
  case faults
  /// Linked objects are read together with the object that links to them, by one fetch for each relationship.
  case prefetch
  /// The linked objects of each relationship are read by one query, which joins.
  case join

  /// The workload option that selects the method of reading linked objects.
  public static let option = OptionSpec(
    "fetch", allCases.map(\.rawValue),
    help: """
      how linked objects are read: each when it is touched, all of a relationship with the first, or by a join; databases \
      join in any case, and a backend without native links reads them one by one
      """)

  /// Reads the method of reading linked objects from the options of a workload.
  public init(_ options: Options) { self = LinkFetch(rawValue: options[Self.option]) ?? .faults }
}

/// The capability to choose how linked objects are read.
///
/// An engine that finds links by a query has no such choice, so its backend does not conform.
public protocol LinkFetching: Relational {
  /// Sets the method of reading linked records from now on, and the links to prefetch with a record of a collection.
  /// Without this call a join reads linked records.
  ///
  /// Records that have been read stay in memory together with their links until ``StorageBackend/record(_:in:)`` is
  /// called for another record, as in an app that shows one page after the other.
  ///
  /// - Parameters:
  ///   - way: The method of reading linked records.
  ///   - paths: The links to follow from a record, by the record's collection. Each step starts at the end of the step
  ///     before. Only ``LinkFetch/prefetch`` uses them.
  /// - Throws: ``StoreError``, ``RelationError/undeclared(_:)``.
  func read(linked way: LinkFetch, prefetching paths: [CollectionID: [[LinkStep]]]) throws
}

/// A step of a path along links: a relationship followed from one of its ends.
public struct LinkStep: Hashable, Sendable {
  /// The relationship that the step follows.
  public var relationship: RelationshipID
  /// The end of the relationship from which the step starts.
  public var direction: LinkDirection

  /// Creates a step along a relationship.
  public init(_ relationship: RelationshipID, _ direction: LinkDirection) {
    self.relationship = relationship
    self.direction = direction
  }
}
