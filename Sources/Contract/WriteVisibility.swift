/// The extent to which a benchmark run sees the writes and syncs of a backend.
public enum WriteVisibility: String, Sendable, Codable {
  /// The backend writes and syncs by system calls of the measured process. A benchmark run sees these calls, and can
  /// check the backend's safety level.
  case calls
  /// The backend writes through a memory mapping. A benchmark run does not see these writes, and cannot check the
  /// backend's safety level.
  case mapping
  /// Another process writes and syncs for the backend. A benchmark run does not see its calls, and cannot check the
  /// backend's safety level.
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
