/// The measured times of a timed trial (a measuring process).
public struct Timing: Sendable, Codable, Equatable {
  /// The number of timed operations.
  public var operations: Int
  /// The total time of the timed operations, in nanoseconds.
  public var elapsed: Int64
  /// The total time in nanoseconds of the operations that were timed one by one, if batches were timed, too; otherwise
  /// nil. The ``histogram`` is from these operations, and ``elapsed`` is from the batches.
  public var singlesElapsed: Int64?
  /// The processor time of the process during the timed part, in nanoseconds: user and system time of all threads.
  public var cpu: Int64
  /// The exact time of the fastest operation, in nanoseconds; nil if operations were timed only in batches.
  public var min: Int64?
  /// The exact time of the slowest operation, in nanoseconds; nil if operations were timed only in batches.
  public var max: Int64?
  /// The lower quartile of the time per operation, in nanoseconds. If an operation takes less time than 50 clock
  /// readings, the quartile is computed from the means of batches. With several ``kinds`` and no ``rate``, the value is
  /// the mean time of all operations instead, because a quartile over different kinds is meaningless.
  public var p25: Double
  /// The median of the time per operation, in nanoseconds. For operations too short for the clock, it is the median of
  /// the batches' means. With several ``kinds`` and no ``rate``, it is the mean of all operations.
  public var p50: Double
  /// The number of operations in a batch that was timed as a whole; nil if operations were timed one by one.
  public var batch: Int?
  /// The latencies of single operations as ``HistogramText``. Nil if operations were timed only in batches. Also nil if
  /// there are several ``kinds`` and no ``rate``, because each kind then has a separate histogram.
  public var histogram: String?
  /// The measured cost of one clock reading, in nanoseconds.
  public var clock: Double
  /// The share of the store's files that was in memory when the timed part started, from 0 to 1. Nil if it is unknown.
  public var resident: Double?
  /// The number of checkpoints or other deferred writes within the timed part; nil if the engine defers no writes.
  public var checkpoints: Int?
  /// The load of other processes on the machine during the trial; nil from builds that did not measure the load.
  public var interference: Interference?
  /// The mean latency of the second half of the operations, divided by the first half's; nil for too few operations.
  public var halves: Double?
  /// The latencies in the order of the operations, as ``LatencySeries/text``; nil for too few operations.
  public var series: String?
  /// The operations per second, if operations start at fixed times. Each latency then counts from the planned start.
  /// The rate is nil if each operation started when the previous one had ended.
  public var rate: Double?
  /// The number of operations longer than a frame at 60 Hz (16.7 ms); nil if frames do not matter for the workload.
  public var overFrame: Int?
  /// The number of operations longer than a frame at 120 Hz (8.3 ms); nil if frames do not matter for the workload.
  public var overHalfFrame: Int?
  /// The latencies by kind of operation. Nil if the workload has only one kind, or if operations were timed only in
  /// batches.
  public var kinds: [KindTiming]?

  /// The typical time of an operation, in nanoseconds, which reports show and compare. It is the median of the
  /// operations or of the batches' means. With several ``kinds`` and no ``rate``, it is the mean of all operations.
  public var typical: Double {
    guard !isBatched, let max else { return p50 }
    // The bound of a bucket represents its values, but must not exceed the slowest operation, which is exact.
    return Swift.min(p50, Double(max))
  }

  /// The mean time of an operation, in nanoseconds. A mean of operations in batches can be compared with a mean of
  /// operations that were timed one by one.
  public var mean: Double { operations > 0 ? Double(elapsed) / Double(operations) : p50 }

  /// Whether the operations were timed in batches, because single operations are too short for the clock.
  public var isBatched: Bool { batch != nil }

  /// Creates the measured times of a trial (a measuring process).
  public init(
    operations: Int, elapsed: Int64, cpu: Int64, min: Int64? = nil, max: Int64? = nil, p25: Double,
    p50: Double,
    batch: Int? = nil, histogram: String? = nil, clock: Double, resident: Double? = nil,
    checkpoints: Int? = nil
  ) {
    self.operations = operations
    self.elapsed = elapsed
    self.cpu = cpu
    self.min = min
    self.max = max
    self.p25 = p25
    self.p50 = p50
    self.batch = batch
    self.histogram = histogram
    self.clock = clock
    self.resident = resident
    self.checkpoints = checkpoints
  }
}

/// The latencies of one kind of operations in a mix, such as reads. Only operations timed one by one are included.
public struct KindTiming: Sendable, Codable, Equatable {
  /// The name of the kind of operations as in the workload, such as `read`.
  public var kind: String
  /// The number of operations of the kind that were timed one by one.
  public var operations: Int
  /// The exact time of the slowest operation of the kind, in nanoseconds.
  public var max: Int64
  /// The latencies of the operations of the kind, as ``HistogramText``.
  public var histogram: String

  /// Creates the latencies of one kind of operations.
  public init(kind: String, operations: Int, max: Int64, histogram: String) {
    self.kind = kind
    self.operations = operations
    self.max = max
    self.histogram = histogram
  }
}
