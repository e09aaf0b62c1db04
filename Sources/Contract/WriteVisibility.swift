/// Who can see what a backend writes and syncs: whether a run can confirm the level that it promises.
public enum WriteVisibility: String, Sendable, Codable {
  /// This process makes the calls, and they are counted: a row whose calls cannot give its level is failed.
  case calls
  /// Nobody: it writes through a memory mapping. What the calls would tell is not checked.
  case mapping
  /// Nobody here: another process writes for it.
  case daemon

  /// Why a level cannot be confirmed, as a half sentence; nil where it can.
  public var obstacle: String? {
    switch self {
    case .calls: nil
    case .mapping: "it writes through a memory mapping, where no write is seen"
    case .daemon: "another process writes for it, whose calls are not seen"
    }
  }
}
