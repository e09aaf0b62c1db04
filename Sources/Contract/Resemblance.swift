/// A judgment of whether the figures of a work-alike (a backend that imitates another system) apply to the imitated
/// system.
///
/// Times never apply, because the code differs. The amount of work may apply: the numbers of writes, syncs and queries,
/// and the growth of these numbers with the number of records. Each judgment is for one workload.
public struct Resemblance: Sendable, Codable, Hashable {
  /// The outcome of comparing the work of a work-alike with the work of the system that it imitates.
  public enum Shape: String, Sendable, Codable, CaseIterable {
    /// The work-alike uses the same statements, transactions and files as the imitated system, as far as known.
    case holds = "shape holds"
    /// The work-alike does less work than the imitated system.
    case optimistic
    /// The work-alike does more work than the imitated system.
    case pessimistic
    /// The imitated system has no counterpart of the workload, or nothing is known about the system's work.
    case notComparable = "not comparable"
  }

  /// The outcome of comparing the work of the work-alike with the work of the imitated system.
  public var shape: Shape
  /// The reason for ``shape``, in one sentence without a full stop.
  public var reason: String
  /// The publication that supports ``shape``, or a note that none was found.
  public var source: String

  /// Creates a judgment of whether a work-alike's figures apply to the imitated system.
  public init(_ shape: Shape, _ reason: String, source: String) {
    self.shape = shape
    self.reason = reason
    self.source = source
  }
}
