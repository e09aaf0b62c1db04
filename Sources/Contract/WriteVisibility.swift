/// The visibility of a backend's writes and syncs to a benchmark run. A run can check a promised durability level only
/// by calls that it sees.
public enum WriteVisibility: String, Sendable, Codable {
  /// The backend's own process makes the write and sync calls, and a run counts them. If the counted calls cannot give
  /// the promised level, the measurement is reported as failed.
  case calls
  /// The backend writes through a memory mapping, where a run sees no writes. The durability level is not checked.
  case mapping
  /// Another process writes for the backend, so a run cannot see the write and sync calls.
  case daemon

  /// The reason why a run cannot check the durability level, as a clause ("it writes through ..."); nil for ``calls``.
  public var obstacle: String? {
    switch self {
    case .calls: nil
    case .mapping: "it writes through a memory mapping, where no write is seen"
    case .daemon: "another process writes for it, whose calls are not seen"
    }
  }
}
