/// A judgment of how closely a backend resembles the system that it imitates. Only the amount of work is judged, never
/// times.
public struct Resemblance: Sendable, Codable, Hashable {
  /// A judgment whether a backend does as much work, such as writes, as the system that it imitates, such as Core Data.
  public enum Shape: String, Sendable, Codable, CaseIterable {
    /// The backend does the same known work, such as the same number of writes, as the system that it imitates.
    case holds = "shape holds"
    /// The backend does less work, such as fewer writes, than the system that it imitates.
    case optimistic
    /// The backend does more work, such as more writes, than the system that it imitates.
    case pessimistic
    /// The amounts of work cannot be compared: the system that the backend imitates has no such workload, or that
    /// system's work is unknown.
    case notComparable = "not comparable"
  }

  /// The comparison of the backend's work, such as its writes, with the work of the system that the backend imitates:
  /// equal, less or more.
  public var shape: Shape
  /// The reason for the judgment of the backend's amount of work, in one sentence without a full stop.
  public var reason: String
  /// The source of the judgment, such as `Apple, WWDC 2020, session 10017`, or a note, such as `nothing found`.
  public var source: String

  /// Creates a judgment of whether a backend does the same work as the system that it imitates.
  public init(_ shape: Shape, _ reason: String, source: String) {
    self.shape = shape
    self.reason = reason
    self.source = source
  }
}
