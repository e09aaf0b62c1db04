/// The names of the figures for a workload in which two processes save into one store. The first process is timed.
public enum SharingFinding {
  /// The name of the figure that counts acknowledged saves of the first of two processes that share a store. The saves
  /// of this process are timed.
  public static let saves = "saves"
  /// The name of the figure that counts acknowledged saves of the second of two processes that share a store.
  public static let otherSaves = "other_saves"
  /// The name of the figure that counts lost updates. Each save adds 1 to a counter in the store, so the lost updates
  /// are the acknowledged saves less the counter's final value.
  public static let lostUpdates = "lost_updates"
  /// The name of the figure that counts records whose last acknowledged save is missing from the store at the end of
  /// the measurement.
  public static let lostRecords = "lost_records"
  /// The name of the figure that counts reads and saves that did not see an earlier, acknowledged save.
  public static let staleReads = "stale_reads"
  /// The name of the figure that counts failed reads and saves of both processes that share a store. Further figures
  /// count errors by code: `errors_busy`, `errors_conflict` (SQLITE_BUSY_SNAPSHOT, or an object with another version),
  /// `errors_damaged`, `errors_other`.
  public static let errors = "errors"
  /// The name of the figure that counts saves that the engine repeated, because another process had saved first.
  public static let retries = "retries"
  /// The name of the figure for the median save time of the second of two processes that share a store, exact to 7 %. A
  /// report on several trials (measuring processes) shows the longest median.
  public static let otherP50 = "other_wait_p50_ns"
  /// The name of the figure for the 99th percentile of the save times of the second of two processes that share a
  /// store. It is exact to 7 %.
  public static let otherP99 = "other_wait_p99_ns"
  /// The name of the figure for the longest save time of the second of two processes that share a store. It is exact.
  public static let otherMost = "other_wait_max_ns"
  /// The name of the figure that counts how often a workload has killed the second of two processes that share a store.
  /// Each kill happens during a save.
  public static let kills = "kills"
  /// The name of the figure that counts kills of the second of two processes that share a store, after which the first
  /// process could no longer save.
  public static let stuck = "stuck_after_kill"
}
