/// A judgement of how far the figures of a work-alike apply to the system that it imitates, in one workload.
///
/// Times never apply, because the code differs. The shape may apply: what is written, synced and queried, and how that
/// grows with the number of records.
public struct Resemblance: Sendable, Codable, Hashable {
  /// The comparison of the work here with the work of the imitated system.
  public enum Shape: String, Sendable, Codable, CaseIterable {
    /// The statements, transactions and files are the same, as far as known.
    case holds = "shape holds"
    /// Less work is done here than in the imitated system.
    case optimistic
    /// More work is done here than in the imitated system.
    case pessimistic
    /// The imitated system has no counterpart, or nothing is known about it.
    case notComparable = "not comparable"
  }

  /// The comparison of the work.
  public var shape: Shape
  /// The reason, in one sentence without a full stop.
  public var reason: String
  /// The publication that supports it, or a note that none was found.
  public var source: String

  /// Creates a judgement.
  public init(_ shape: Shape, _ reason: String, source: String) {
    self.shape = shape
    self.reason = reason
    self.source = source
  }
}
