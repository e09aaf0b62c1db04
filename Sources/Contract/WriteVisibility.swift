/// The extent to which a benchmark run sees the writes and syncs of a backend.
public enum WriteVisibility: String, Sendable, Codable {
  /// Full visibility: the backend's process itself writes and syncs, so a benchmark counts the calls and checks the
  /// safety level.
  case calls
  /// No visibility of writes: the backend writes through a memory mapping. A benchmark cannot check the safety level.
  case mapping
  /// No visibility of writes and syncs: another process makes them for the backend, so a benchmark run cannot count
  /// them.
  case daemon

  /// The reason why a benchmark cannot check the safety level, as a clause about the backend. Nil if a check is
  /// possible.
  public var obstacle: String? {
    switch self {
    case .calls: nil
    case .mapping: "it writes through a memory mapping, where no write is seen"
    case .daemon: "another process writes for it, whose calls are not seen"
    }
  }
}
