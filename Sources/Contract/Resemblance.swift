/// A judgment of how closely a backend resembles the system that it imitates, for one workload.
///
/// Only the amount of work is judged, such as the number of writes. The backend's times never apply to the imitated
/// system, because the code differs.
public struct Resemblance: Sendable, Codable, Hashable {
  /// A judgment of the amount of a backend's work, such as the number of its writes. The work is compared with that of
  /// the system that the backend imitates, such as Core Data: the same work, less work, more work or not comparable.
  public enum Shape: String, Sendable, Codable, CaseIterable {
    /// The backend does the same work, such as the same number of writes, as the system that it imitates. Only the
    /// known work of that system is compared. Reports call this judgment `shape holds`.
    case holds = "shape holds"
    /// The backend does less work, such as fewer writes, than the system that it imitates.
    case optimistic
    /// The backend does more work, such as more writes, than the system that it imitates.
    case pessimistic
    /// The backend's work cannot be compared with the work of the system that the backend imitates, because this system
    /// has no such workload or its work is unknown.
    case notComparable = "not comparable"
  }

  /// The judgment of the amount of the backend's work, such as the number of its writes. The work is compared with that
  /// of the system that the backend imitates. For example, `holds` means the same work.
  public var shape: Shape
  /// The reason for the judgment that the backend does the same, less or more work than the system that it imitates, in
  /// one sentence without a full stop.
  public var reason: String
  /// The source of ``shape``, the judgment of the backend's amount of work: a publication about the imitated system,
  /// such as `Apple, WWDC 2020, session 10017`. If no publication was found, a note such as `nothing found`.
  public var source: String

  /// Creates a judgment of whether a backend does the same work as the system that it imitates.
  public init(_ shape: Shape, _ reason: String, source: String) {
    self.shape = shape
    self.reason = reason
    self.source = source
  }
}
