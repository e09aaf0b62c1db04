/// The method by which an app with an object graph reads linked objects.
public enum LinkFetch: String, Sendable, CaseIterable {
  /// Lazy reading as in Core Data: linked keys are read when a relationship such as `student.courses` is first used,
  /// and each linked object when it is used.
  case faults
  /// Early reading: the linked objects are read when the object that links to them is read, by one fetch for each
  /// relationship.
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

  /// Selects the method of reading linked objects by the option `fetch` of a workload.
  public init(_ options: Options) { self = LinkFetch(rawValue: options[Self.option]) ?? .faults }
}

/// The capability to choose the method by which linked objects are read.
///
/// An engine that always finds links by a query has no such choice, so its backend does not conform.
public protocol LinkFetching: Relational {
  /// Sets the method by which later calls read linked records. Before the first call, linked records are read by a
  /// join.
  ///
  /// Records that have been read stay in memory together with their links until ``StorageBackend/record(_:in:)`` is
  /// called for another record, as in an app that shows one page after the other.
  ///
  /// - Parameters:
  ///   - way: The method of reading linked records.
  ///   - paths: For ``LinkFetch/prefetch`` only: the paths of links to read together with a record, by the record's
  ///     collection. Each step of a path starts where the previous step ended.
  /// - Throws: ``StoreError``, ``RelationError/undeclared(_:)``.
  func read(linked way: LinkFetch, prefetching paths: [CollectionID: [[LinkStep]]]) throws
}

/// A step of a path along links, such as from a student to the student's courses: a relationship and a direction.
public struct LinkStep: Hashable, Sendable {
  /// The relationship that the step follows.
  public var relationship: RelationshipID
  /// The direction in which the step follows the relationship.
  public var direction: LinkDirection

  /// Creates a step of a path along links: from a record to the records that it is linked with by the relationship.
  public init(_ relationship: RelationshipID, _ direction: LinkDirection) {
    self.relationship = relationship
    self.direction = direction
  }
}
