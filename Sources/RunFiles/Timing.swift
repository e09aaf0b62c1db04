/// The figures of a timed trial.
public struct Timing: Sendable, Codable, Equatable {
  /// Operations within the timed part.
  public var operations: Int
  /// The time of these operations, in nanoseconds.
  public var elapsed: Int64
  /// The time of the singly timed operations that alternate with batches, in nanoseconds, if ``elapsed`` is that of
  /// batches; nil if there were none. They determine the percentiles.
  public var singlesElapsed: Int64?
  /// Processor time of the process during the timed part, in nanoseconds, over all threads, user and system.
  public var cpu: Int64
  /// The exact fastest operation, in nanoseconds; nil if operations were not timed singly.
  public var min: Int64?
  /// The exact slowest operation, in nanoseconds; nil if operations were not timed singly.
  public var max: Int64?
  /// The lower quartile of the time per operation, in nanoseconds: of single operations, or of batches if operations
  /// are shorter than 50 clock readings; the mean if operations are of several ``kinds``. Comparisons use it.
  public var p25: Double
  /// The median of the time per operation, from the same samples.
  public var p50: Double
  /// Operations per batch if batches were timed, otherwise nil.
  public var batch: Int?
  /// The latencies of single operations as ``HistogramText``; nil if they were not timed singly, or are of several
  /// ``kinds``, each of which has its own.
  public var histogram: String?
  /// The measured cost of one clock reading, in nanoseconds.
  public var clock: Double
  /// The share of the store's files that was in memory when the timed part began, 0 to 1.
  public var resident: Double?
  /// Checkpoints or other deferred writes within the timed part; nil if the engine has none.
  public var checkpoints: Int?
  /// The other load of the machine during the trial; nil from builds that did not measure it.
  public var interference: Interference?
  /// The mean latency of the second half of the operations, divided by that of the first; nil if there are too few.
  public var halves: Double?
  /// The latencies in the order of the operations, as ``LatencySeries/text``; nil if there are too few.
  public var series: String?
  /// Operations per second of the schedule on which operations were started. Latencies then count from the scheduled
  /// start. Nil if each operation started when the previous one had ended.
  public var rate: Double?
  /// Operations longer than a frame at 60 frames per second; nil if frames do not matter for the workload.
  public var overFrame: Int?
  /// Operations longer than a frame at 120 frames per second; see ``overFrame``.
  public var overHalfFrame: Int?
  /// The single operations by kind, if the workload has several kinds; nil if it has one, or if they were not timed
  /// singly.
  public var kinds: [KindTiming]?

  /// The typical time of the process in nanoseconds, used by rows, ratios and rules: the median of its operations or,
  /// if these were timed in batches, of the batches' means; for a mix the mean.
  public var typical: Double {
    guard !isBatched, let max else { return p50 }
    // The bound of a bucket represents its values, but must not exceed the slowest operation, which is exact.
    return Swift.min(p50, Double(max))
  }

  /// The mean time of an operation, in nanoseconds. It is used to compare a process that was timed in batches with one
  /// that was not.
  public var mean: Double { operations > 0 ? Double(elapsed) / Double(operations) : p50 }

  /// Whether the figures are of batches. Operations too short for the clock are timed together.
  public var isBatched: Bool { batch != nil }

  /// Creates a timing.
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

/// The singly timed operations of one kind in a mix.
public struct KindTiming: Sendable, Codable, Equatable {
  /// The kind's name as in the workload: `read`.
  public var kind: String
  /// The number of operations timed singly.
  public var operations: Int
  /// The exact slowest operation, in nanoseconds.
  public var max: Int64
  /// The latencies as ``HistogramText``.
  public var histogram: String

  /// Creates the figures of one kind.
  public init(kind: String, operations: Int, max: Int64, histogram: String) {
    self.kind = kind
    self.operations = operations
    self.max = max
    self.histogram = histogram
  }
}
