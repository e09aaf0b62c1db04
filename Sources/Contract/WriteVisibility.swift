/// The visibility of a backend's writes and syncs, which decides whether a run can confirm the level that it promises.
public enum WriteVisibility: String, Sendable, Codable {
  /// This process makes the calls, and they are counted. A row whose calls cannot give its level is failed.
  case calls
  /// Writes go through a memory mapping and are not visible. The level is not checked.
  case mapping
  /// Another process writes for it, so its calls are not visible here.
  case daemon

  /// The reason why a level cannot be confirmed, as a clause; nil if it can.
  public var obstacle: String? {
    switch self {
    case .calls: nil
    case .mapping: "it writes through a memory mapping, where no write is seen"
    case .daemon: "another process writes for it, whose calls are not seen"
    }
  }
}
