/// A judgment of how far the figures of a work-alike apply to the system that it imitates, in one workload.
///
/// Times never apply, because the code differs. The shape of the work may apply: the writes, syncs and queries, and
/// their growth with the number of records.
public struct Resemblance: Sendable, Codable, Hashable {
  /// The result of comparing the work of a work-alike with the work of the imitated system.
  public enum Shape: String, Sendable, Codable, CaseIterable {
    /// The work-alike uses the same statements, transactions and files as the imitated system, as far as known.
    case holds = "shape holds"
    /// The work-alike does less work than the imitated system.
    case optimistic
    /// The work-alike does more work than the imitated system.
    case pessimistic
    /// The imitated system has no counterpart, or nothing is known about it.
    case notComparable = "not comparable"
  }

  /// The result of comparing the work-alike's work with the imitated system's.
  public var shape: Shape
  /// The reason for the judgment, in one sentence without a full stop.
  public var reason: String
  /// The publication that supports the judgment, or a note that none was found.
  public var source: String

  /// Creates a judgment of how far a work-alike's figures apply.
  public init(_ shape: Shape, _ reason: String, source: String) {
    self.shape = shape
    self.reason = reason
    self.source = source
  }
}
