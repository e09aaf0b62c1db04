/// How an app of an object graph reads the objects that one is linked with.
public enum LinkFetch: String, Sendable, CaseIterable {
  /// As `student.courses` does: the keys when the relationship is first asked for, and each object when it is touched.
  case faults
  /// With the object itself, one fetch for all that a relationship leads to.
  case prefetch
  /// By a query of its own for each relationship, which joins.
  case join

  /// The option of workloads in which it can be chosen.
  public static let option = OptionSpec(
    "fetch", allCases.map(\.rawValue),
    help: """
      how linked objects are read: each when it is touched, all of a relationship with the first, or by a join; databases \
      join in any case, and what has no links of its own reads them one by one
      """)

  /// What options of a workload say.
  public init(_ options: Options) { self = LinkFetch(rawValue: options[Self.option]) ?? .faults }
}

/// Links between objects that an engine hands out, where the app chooses how they are read.
///
/// For engines that find links by a query there is nothing to choose, and they do not conform.
public protocol LinkFetching: Relational {
  /// Says how linked records are read from now on, and what is prefetched with a record of a collection. Before, they are
  /// read by a join.
  ///
  /// Records that have been read stay at hand, with what was read of their links, until ``StorageBackend/record(_:in:)``
  /// is asked for another one: an app shows one page after the other.
  ///
  /// - Parameters:
  ///   - way: How linked records are read.
  ///   - paths: The links to follow from a record, by its collection, each step from where the one before leads. Only
  ///     ``LinkFetch/prefetch`` uses them.
  /// - Throws: ``StoreError``, ``RelationError/undeclared(_:)``.
  func read(linked way: LinkFetch, prefetching paths: [CollectionID: [[LinkStep]]]) throws
}

/// A relationship followed from one of its ends.
public struct LinkStep: Hashable, Sendable {
  /// The relationship.
  public var relationship: RelationshipID
  /// The end at which to start.
  public var direction: LinkDirection

  /// Follows a relationship.
  public init(_ relationship: RelationshipID, _ direction: LinkDirection) {
    self.relationship = relationship
    self.direction = direction
  }
}
