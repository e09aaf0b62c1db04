/// The extent to which a benchmark run sees the writes and syncs of a backend.
public enum WriteVisibility: String, Sendable, Codable {
  /// Full visibility: the backend's process itself makes the write and sync calls, so a benchmark run can count them.
  /// The measurement fails if the counts contradict the safety level that the backend promises.
  case calls
  /// No visibility of writes: the backend writes through a memory mapping, where a benchmark run sees no writes. The
  /// run cannot check the safety level that the backend promises.
  case mapping
  /// No visibility of writes and syncs: another process makes them for the backend, so a benchmark run cannot count
  /// them.
  case daemon

  /// The reason why a benchmark run cannot check the backend's safety level, or nil if the run can.
  ///
  /// The text is a clause about the backend: `it writes through a memory mapping, where no write is seen`.
  public var obstacle: String? {
    switch self {
    case .calls: nil
    case .mapping: "it writes through a memory mapping, where no write is seen"
    case .daemon: "another process writes for it, whose calls are not seen"
    }
  }
}
