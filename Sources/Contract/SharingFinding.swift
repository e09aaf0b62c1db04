/// The names of what a workload finds out of which two processes save into one store.
public enum SharingFinding {
  /// Acknowledged saves of the process whose times are the row's.
  public static let saves = "saves"
  /// Acknowledged saves of the other one.
  public static let otherSaves = "other_saves"
  /// By how much less the counter holds than there were acknowledged saves.
  public static let lostUpdates = "lost_updates"
  /// Records that do not hold, in the end, what the last acknowledged save stored in them.
  public static let lostRecords = "lost_records"
  /// Reads, and saves, that found the store as it was before a save that had been acknowledged.
  public static let staleReads = "stale_reads"
  /// Reads and saves of both that ended in an error; also by its code, where there are any: `errors_busy`, `errors_conflict`
  /// (SQLITE_BUSY_SNAPSHOT, or another version of an object), `errors_damaged`, `errors_other`.
  public static let errors = "errors"
  /// Saves that the engine's own way made again, since the other process had been first.
  public static let retries = "retries"
  /// How long the other process's saves took, each percentile exact to 7 %; of several trials the longest.
  public static let otherP50 = "other_wait_p50_ns"
  /// See ``otherP50``.
  public static let otherP99 = "other_wait_p99_ns"
  /// See ``otherP50``; exact.
  public static let otherMost = "other_wait_max_ns"
  /// How often the other process was killed.
  public static let kills = "kills"
  /// After how many of these nothing could be saved any more.
  public static let stuck = "stuck_after_kill"
}
