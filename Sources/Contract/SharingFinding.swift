/// The names of the figures that a workload reports if two processes save into one store.
public enum SharingFinding {
  /// The name of the figure for acknowledged saves by the first of two processes, whose saves are the timed operations.
  public static let saves = "saves"
  /// The name of the figure for acknowledged saves by the second of two processes.
  public static let otherSaves = "other_saves"
  /// The name of the figure for lost updates: acknowledged additions to a counter that are missing from its final
  /// value.
  public static let lostUpdates = "lost_updates"
  /// The name of the figure for records whose last acknowledged save is missing from the store after the measurement.
  public static let lostRecords = "lost_records"
  /// The name of the figure for reads and saves that did not see an earlier acknowledged save of the other process.
  public static let staleReads = "stale_reads"
  /// The name of the figure for failed reads and saves of two processes. Each kind also has a figure, such as
  /// `errors_busy`.
  public static let errors = "errors"
  /// The name of the figure for saves that the engine repeated because another process had saved first.
  public static let retries = "retries"
  /// The name of the figure for the median save time of the second of two processes, in nanoseconds, exact to 7 %.
  public static let otherP50 = "other_wait_p50_ns"
  /// The name of the figure for the 99th percentile of the save times of the second of two processes, in nanoseconds,
  /// exact to 7 %.
  public static let otherP99 = "other_wait_p99_ns"
  /// The name of the figure for the longest save by the second of two processes, in nanoseconds.
  public static let otherMost = "other_wait_max_ns"
  /// The name of the figure for the kills of the second of two processes, each during a save.
  public static let kills = "kills"
  /// The name of the figure for kills of the second process after which the first could not save, even by repeated
  /// attempts.
  public static let stuck = "stuck_after_kill"
}
