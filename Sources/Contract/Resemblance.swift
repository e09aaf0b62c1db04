/// A judgment of how closely a backend that imitates another system resembles this system, for one workload.
///
/// Only the amount of work is judged, such as the number of writes. The backend's times never apply to the imitated
/// system, because the code differs.
public struct Resemblance: Sendable, Codable, Hashable {
  /// The result of comparing the work of a backend, such as its writes, with the work of the system that it imitates.
  public enum Shape: String, Sendable, Codable, CaseIterable {
    /// The backend does the same work as the system that it imitates, as far as known.
    case holds = "shape holds"
    /// The backend does less work than the system that it imitates.
    case optimistic
    /// The backend does more work than the system that it imitates.
    case pessimistic
    /// The backend's work cannot be compared with the work of the system that the backend imitates, because this system
    /// has no such workload or its work is unknown.
    case notComparable = "not comparable"
  }

  /// The result of comparing the backend's work, such as its writes, with the work of the system that the backend
  /// imitates.
  public var shape: Shape
  /// The reason for the result of comparing the backend with the system that it imitates, in one sentence without a
  /// full stop.
  public var reason: String
  /// The publication that supports the comparison of the backend's work with the work of the system that the backend
  /// imitates, or a note that no publication was found.
  public var source: String

  /// Creates a judgment of whether a backend does the same work as the system that it imitates.
  public init(_ shape: Shape, _ reason: String, source: String) {
    self.shape = shape
    self.reason = reason
    self.source = source
  }
}
