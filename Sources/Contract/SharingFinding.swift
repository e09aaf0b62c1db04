/// The names of the numbers that a workload reports if two processes save into one store.
public enum SharingFinding {
  /// The name of a reported number: the acknowledged saves of the first of two processes. The workload measures the
  /// times of these saves.
  public static let saves = "saves"
  /// The name of a reported number: the acknowledged saves of the second of two processes.
  public static let otherSaves = "other_saves"
  /// The name of a reported number: the acknowledged additions to a counter that are missing from the final value of
  /// the counter.
  public static let lostUpdates = "lost_updates"
  /// The name of a reported number: the records that lack their last acknowledged save after the measurement.
  public static let lostRecords = "lost_records"
  /// The name of a reported number: the reads and saves that missed an earlier acknowledged save of the other process.
  public static let staleReads = "stale_reads"
  /// The name of a reported number: the failed reads and saves of two processes. Also counted by kind: `errors_busy`,
  /// `errors_conflict`, `errors_damaged`, `errors_other`.
  public static let errors = "errors"
  /// The name of a reported number: the saves that the engine repeated because another process had saved first.
  public static let retries = "retries"
  /// The name of a reported number: the second process's median save time, in nanoseconds, with an error up to 7 %.
  public static let otherP50 = "other_wait_p50_ns"
  /// The name of a reported number: the 99th percentile of the second process's save times, in nanoseconds, with an
  /// error up to 7 %.
  public static let otherP99 = "other_wait_p99_ns"
  /// The name of a reported number: the longest save time of the second process, in nanoseconds.
  public static let otherMost = "other_wait_max_ns"
  /// The name of a reported number: the kills of the second of two processes, each during a save.
  public static let kills = "kills"
  /// The name of a reported number: the kills of the second process after which the first process could not save any
  /// more.
  public static let stuck = "stuck_after_kill"
}
