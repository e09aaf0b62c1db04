/// The visibility of a backend's writes and syncs. It decides whether a run can confirm the promised durability level.
public enum WriteVisibility: String, Sendable, Codable {
  /// The backend's process makes the calls, and a run counts them. A report's row fails if they cannot give its level.
  case calls
  /// Writes go through a memory mapping and are not visible. The durability level is not checked.
  case mapping
  /// Another process writes for the backend, so its calls are not visible to the run.
  case daemon

  /// The reason why a durability level cannot be confirmed, as a clause; nil if it can be confirmed.
  public var obstacle: String? {
    switch self {
    case .calls: nil
    case .mapping: "it writes through a memory mapping, where no write is seen"
    case .daemon: "another process writes for it, whose calls are not seen"
    }
  }
}
