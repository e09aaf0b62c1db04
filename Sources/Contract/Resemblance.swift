/// How far a figure of a work-alike stands for the system that it imitates, in one workload.
///
/// Times never do: the code is another one. What can carry over is the shape: what is written, synced and asked, and how
/// that grows with the number of records.
public struct Resemblance: Sendable, Codable, Hashable {
  /// Whether the work that is done is the same.
  public enum Shape: String, Sendable, Codable, CaseIterable {
    /// The same statements, transactions and files, as far as it is known.
    case holds = "shape holds"
    /// Less is done here than there.
    case optimistic
    /// More is done here than there.
    case pessimistic
    /// There is no counterpart there, or nothing is known of it.
    case notComparable = "not comparable"
  }

  /// Whether the work is the same.
  public var shape: Shape
  /// Why, in one sentence without a full stop.
  public var reason: String
  /// Who says so: where it was published, or that nothing was found.
  public var source: String

  /// Creates a judgement.
  public init(_ shape: Shape, _ reason: String, source: String) {
    self.shape = shape
    self.reason = reason
    self.source = source
  }
}
