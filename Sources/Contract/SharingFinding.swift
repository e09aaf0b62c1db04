/// The names of the figures that a workload reports if two processes save into one store.
public enum SharingFinding {
  /// The name under which a workload reports the number of acknowledged saves by the first of two processes. The
  /// benchmark measures this first process: the time of an operation is the time of one save by the first process.
  public static let saves = "saves"
  /// The name under which a workload reports the number of acknowledged saves by the second of two processes.
  public static let otherSaves = "other_saves"
  /// The name under which a workload reports the number of lost updates: acknowledged additions to a counter that are
  /// missing from its final value.
  public static let lostUpdates = "lost_updates"
  /// The name under which a workload reports the number of records whose last acknowledged save is missing from the
  /// store after the measurement.
  public static let lostRecords = "lost_records"
  /// The name under which a workload reports the number of reads and saves that did not see an earlier acknowledged
  /// save of the other process.
  public static let staleReads = "stale_reads"
  /// The name under which a workload reports the number of failed reads and saves of two processes. Each kind of error
  /// is also counted under another name: `errors_busy`, `errors_conflict`, `errors_damaged`, `errors_other`.
  public static let errors = "errors"
  /// The name under which a workload reports the number of saves that the engine repeated because another process had
  /// saved first.
  public static let retries = "retries"
  /// The name under which a workload reports the median time of a save by the second of two processes, in nanoseconds,
  /// exact to 7 %. For repeated measurements, the report shows the longest median.
  public static let otherP50 = "other_wait_p50_ns"
  /// The name under which a workload reports the 99th percentile of save times, in nanoseconds, exact to 7 %. The saves
  /// are those of the second of two processes.
  public static let otherP99 = "other_wait_p99_ns"
  /// The name under which a workload reports the longest time of a save by the second of two processes, in nanoseconds.
  public static let otherMost = "other_wait_max_ns"
  /// The name under which a workload reports the number of times that the second of two processes was killed. Each kill
  /// happens during a save.
  public static let kills = "kills"
  /// The name under which a workload reports the number of kills of the second process that left the first process
  /// unable to save, even by repeated attempts.
  public static let stuck = "stuck_after_kill"
}
