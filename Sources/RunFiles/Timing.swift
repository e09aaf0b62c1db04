/// The measured times of a trial.
public struct Timing: Sendable, Codable, Equatable {
  /// The number of timed operations. If some operations were timed in batches, only the operations in batches are
  /// counted.
  public var operations: Int
  /// The total time of the timed operations, in nanoseconds. If some operations were timed in batches, only the
  /// operations in batches are included.
  public var elapsed: Int64
  /// The total time, in nanoseconds, of the operations timed one by one in a trial that also timed batches. Nil in
  /// other trials.
  public var singlesElapsed: Int64?
  /// The user and system time of all threads during the timed ``operations``, in nanoseconds.
  public var cpu: Int64
  /// The exact time of the fastest operation, in nanoseconds; nil if operations were timed only in batches.
  public var min: Int64?
  /// The exact time of the slowest operation, in nanoseconds; nil if operations were timed only in batches.
  public var max: Int64?
  /// The lower quartile of the times per operation, in nanoseconds. If the workload has several kinds of operations and
  /// no fixed ``rate``, this value is the mean time.
  public var p25: Double
  /// The median of the times per operation, in nanoseconds. If the workload has several kinds of operations and no
  /// fixed ``rate``, this value is the mean time.
  public var p50: Double
  /// The number of operations that were timed together as a batch; nil if operations were timed one by one.
  public var batch: Int?
  /// The latencies of operations timed one by one, as ``HistogramText``. Nil if there are none, or if only ``kinds``
  /// has them.
  public var histogram: String?
  /// The measured cost of one clock reading, in nanoseconds.
  public var clock: Double
  /// The share of the store's files that was in memory when the timed part started, from 0 to 1. Nil if it is unknown.
  public var resident: Double?
  /// The number of checkpoints or other deferred writes within the timed part. Nil if the engine defers no writes.
  public var checkpoints: Int?
  /// The load of other processes on the machine during the trial. Nil in files of older builds.
  public var interference: Interference?
  /// The mean latency in the second half of the operations, divided by that in the first half. Nil for too few
  /// operations.
  public var halves: Double?
  /// The latencies in the order of the operations, as ``LatencySeries/text``; nil for too few operations.
  public var series: String?
  /// The number of operations started per second, if a schedule starts them at fixed times. A latency then begins at
  /// the planned start. Nil without a schedule.
  public var rate: Double?
  /// The number of operations longer than a screen frame at 60 Hz (16.7 ms). Nil if the workload does not measure
  /// dropped frames.
  public var overFrame: Int?
  /// The number of operations longer than half a screen frame at 60 Hz (8.3 ms). Nil if the workload does not measure
  /// dropped frames.
  public var overHalfFrame: Int?
  /// The latencies of each kind of operation. Nil if there is only one kind, or if only batches were timed.
  public var kinds: [KindTiming]?

  /// The time of an operation in reports, in nanoseconds: the smaller of ``p50`` and ``max``. For operations timed in
  /// batches, always ``p50``.
  public var typical: Double {
    guard !isBatched, let max else { return p50 }
    // The median is the bound of a histogram bucket, which must not exceed the exact time of the slowest operation.
    return Swift.min(p50, Double(max))
  }

  /// The mean time of an operation, in nanoseconds.
  public var mean: Double { operations > 0 ? Double(elapsed) / Double(operations) : p50 }

  /// Whether the operations were timed in batches, because single operations are too short for the clock.
  public var isBatched: Bool { batch != nil }

  /// Creates the measured times of a trial.
  public init(
    operations: Int, elapsed: Int64, cpu: Int64, min: Int64? = nil, max: Int64? = nil, p25: Double,
    p50: Double,
    batch: Int? = nil, histogram: String? = nil, clock: Double
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
  }
}

/// The latencies of one kind of operation in a mixed workload, such as reads. Operations timed in batches are not
/// included.
public struct KindTiming: Sendable, Codable, Equatable {
  /// The name of the kind of operation, such as `read`.
  public var kind: String
  /// The number of operations of this kind that were timed one by one.
  public var operations: Int
  /// The exact time of the slowest operation of this kind, in nanoseconds.
  public var max: Int64
  /// The latencies of the operations of this kind, as ``HistogramText``.
  public var histogram: String

  /// Creates the latencies of one kind of operation in a mixed workload.
  public init(kind: String, operations: Int, max: Int64, histogram: String) {
    self.kind = kind
    self.operations = operations
    self.max = max
    self.histogram = histogram
  }
}
