/// The method by which an app with an object graph reads linked objects.
public enum LinkFetch: String, Sendable, CaseIterable {
  /// The keys are read when the relationship is first used, and each object when it is used, as `student.courses` does.
  case faults
  /// Linked objects are read together with the object itself, by one fetch for each relationship.
  case prefetch
  /// Each relationship is read by its own query, which joins.
  case join

  /// The workload option that selects it.
  public static let option = OptionSpec(
    "fetch", allCases.map(\.rawValue),
    help: """
      how linked objects are read: each when it is touched, all of a relationship with the first, or by a join; databases \
      join in any case, and a backend without native links reads them one by one
      """)

  /// Reads the value from the options of a workload.
  public init(_ options: Options) { self = LinkFetch(rawValue: options[Self.option]) ?? .faults }
}

/// The capability to choose how linked objects are read.
///
/// An engine that finds links by a query has no such choice, so it does not conform.
public protocol LinkFetching: Relational {
  /// Sets how linked records are read from now on, and which ones are prefetched with a record of a collection. Without
  /// this call they are read by a join.
  ///
  /// Records that have been read stay in memory together with their links until ``StorageBackend/record(_:in:)`` is
  /// called for another record, as in an app that shows one page after the other.
  ///
  /// - Parameters:
  ///   - way: The method of reading linked records.
  ///   - paths: The links to follow from a record, by its collection. Each step starts where the one before ends. Only
  ///     ``LinkFetch/prefetch`` uses them.
  /// - Throws: ``StoreError``, ``RelationError/undeclared(_:)``.
  func read(linked way: LinkFetch, prefetching paths: [CollectionID: [[LinkStep]]]) throws
}

/// A relationship followed from one of its ends.
public struct LinkStep: Hashable, Sendable {
  /// The relationship.
  public var relationship: RelationshipID
  /// The end from which it is followed.
  public var direction: LinkDirection

  /// Creates a step.
  public init(_ relationship: RelationshipID, _ direction: LinkDirection) {
    self.relationship = relationship
    self.direction = direction
  }
}
