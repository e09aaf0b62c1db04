/// The names of the figures that workloads report when two processes save into one store.
public enum SharingFinding {
  /// The name of the figure that counts the acknowledged saves of the process that is timed for the row.
  public static let saves = "saves"
  /// The name of the figure that counts the acknowledged saves of the other process.
  public static let otherSaves = "other_saves"
  /// The name of the figure that counts lost updates: acknowledged saves less the value of the counter in the store.
  public static let lostUpdates = "lost_updates"
  /// The name of the figure that counts records without the value of their last acknowledged save at the end.
  public static let lostRecords = "lost_records"
  /// The name of the figure that counts reads and saves that found the store in the state before an acknowledged save.
  public static let staleReads = "stale_reads"
  /// The name of the figure that counts reads and saves of both processes that ended in an error. Errors are also
  /// counted by code: `errors_busy`, `errors_conflict` (SQLITE_BUSY_SNAPSHOT, or another version of an object),
  /// `errors_damaged`, `errors_other`.
  public static let errors = "errors"
  /// The name of the figure that counts saves that the engine repeated, because the other process had saved first.
  public static let retries = "retries"
  /// The name of the other process's median save duration, exact to 7 %. Of several trials, the longest counts.
  public static let otherP50 = "other_wait_p50_ns"
  /// The name of the 99th percentile of the other process's save durations, as exact as ``otherP50``.
  public static let otherP99 = "other_wait_p99_ns"
  /// The name of the other process's longest save duration, which is exact.
  public static let otherMost = "other_wait_max_ns"
  /// The name of the figure that counts the times that the other process was killed.
  public static let kills = "kills"
  /// The name of the figure that counts kills of the other process after which no save was possible.
  public static let stuck = "stuck_after_kill"
}
