/// The extent to which a benchmark run sees the writes and syncs of a backend.
public enum WriteVisibility: String, Sendable, Codable {
  /// Full visibility: the backend itself writes and syncs by system calls, so a benchmark run can check its safety
  /// level.
  case calls
  /// No visibility: the backend writes through a memory mapping, so a benchmark run cannot check its safety level.
  case mapping
  /// No visibility: another process writes and syncs for the backend, so a benchmark run cannot check its safety level.
  case daemon

  /// The reason why a benchmark run cannot check the safety level, as a clause about the backend. Nil if a check is
  /// possible.
  public var obstacle: String? {
    switch self {
    case .calls: nil
    case .mapping: "it writes through a memory mapping, where no write is seen"
    case .daemon: "another process writes for it, whose calls are not seen"
    }
  }
}
