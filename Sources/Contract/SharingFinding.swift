/// The names of the findings of workloads in which two processes save into one store.
public enum SharingFinding {
  /// Acknowledged saves of the process that is timed for the row.
  public static let saves = "saves"
  /// Acknowledged saves of the other process.
  public static let otherSaves = "other_saves"
  /// The difference between the number of acknowledged saves and the counter in the store.
  public static let lostUpdates = "lost_updates"
  /// Records that do not hold, at the end, the value of the last acknowledged save.
  public static let lostRecords = "lost_records"
  /// Reads, and saves, that found the store in the state before an acknowledged save.
  public static let staleReads = "stale_reads"
  /// Reads and saves of both processes that ended in an error. They are also counted by code, if there are any:
  /// `errors_busy`, `errors_conflict` (SQLITE_BUSY_SNAPSHOT, or another version of an object), `errors_damaged`,
  /// `errors_other`.
  public static let errors = "errors"
  /// Saves that the engine itself repeated, because the other process had saved first.
  public static let retries = "retries"
  /// The duration of the other process's saves. Each percentile is exact to 7 %; of several trials the longest counts.
  public static let otherP50 = "other_wait_p50_ns"
  /// The 99th percentile, as in ``otherP50``.
  public static let otherP99 = "other_wait_p99_ns"
  /// The maximum, as in ``otherP50``, but exact.
  public static let otherMost = "other_wait_max_ns"
  /// The number of times that the other process was killed.
  public static let kills = "kills"
  /// The number of these kills after which no save was possible.
  public static let stuck = "stuck_after_kill"
}
