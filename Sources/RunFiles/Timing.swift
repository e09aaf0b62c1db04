/// What a timed trial measured.
public struct Timing: Sendable, Codable, Equatable {
  /// Operations within the timed part.
  public var operations: Int
  /// Nanoseconds that they took.
  public var elapsed: Int64
  /// Nanoseconds of the operations that were timed singly where ``elapsed`` is that of batches, with which they took
  /// turns; nil where there were none. They give the percentiles.
  public var singlesElapsed: Int64?
  /// Nanoseconds of processor time that the process used meanwhile, all threads, user and system.
  public var cpu: Int64
  /// The exact fastest operation, in nanoseconds; nil where operations were not timed singly.
  public var min: Int64?
  /// The exact slowest one.
  public var max: Int64?
  /// The lower quartile of the time per operation, in nanoseconds: of single operations, or of batches where
  /// these are shorter than 50 readings of the clock; the mean where operations are of several ``kinds``. What
  /// comparisons are made with.
  public var p25: Double
  /// The median of the same.
  public var p50: Double
  /// Operations per batch where batches were timed, else nil.
  public var batch: Int?
  /// The single operations' latencies as ``HistogramText``; nil where they were not timed singly, or are of several
  /// ``kinds``, each of which has its own.
  public var histogram: String?
  /// The measured cost of one reading of the clock, in nanoseconds.
  public var clock: Double
  /// The share of the store's files that was in memory when the timed part began, 0 to 1.
  public var resident: Double?
  /// Checkpoints or other deferred writes seen within the timed part; nil where the engine has none.
  public var checkpoints: Int?
  /// What else used the machine meanwhile; nil from builds that did not look.
  public var interference: Interference?
  /// The mean latency of the second half of the operations by that of the first; nil where they are too few to tell.
  public var halves: Double?
  /// The latencies in the order of the operations, as ``LatencySeries/text``; nil where they are too few.
  public var series: String?
  /// Operations per second of the schedule that operations were started on, their latency counting from when they
  /// were due; nil where each started when the one before had ended.
  public var rate: Double?
  /// Operations that took longer than a frame of 60, and of 120, a second; nil where nobody watches the screen.
  public var overFrame: Int?
  /// See ``overFrame``.
  public var overHalfFrame: Int?
  /// The single operations by their kind, where the workload has several; nil where it has one, or where they were
  /// not timed singly.
  public var kinds: [KindTiming]?

  /// The process's one typical time, in nanoseconds, which rows, ratios and rules go by: the median of its
  /// operations or, where these were timed in batches, of the batches' means; of a mix the mean.
  public var typical: Double {
    guard !isBatched, let max else { return p50 }
    // A bucket's bound stands for its values, and must not claim more than the slowest operation, which is exact.
    return Swift.min(p50, Double(max))
  }

  /// Nanoseconds that an operation took on average. What a process is compared by with one that was timed in batches
  /// where it was not, or the other way round.
  public var mean: Double { operations > 0 ? Double(elapsed) / Double(operations) : p50 }

  /// Whether the figures are of batches: operations too short for the clock were timed together.
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

/// The operations of one kind in a timed trial of a mix.
public struct KindTiming: Sendable, Codable, Equatable {
  /// The kind's name in the workload's words: `read`.
  public var kind: String
  /// How many were timed singly.
  public var operations: Int
  /// The exact slowest one, in nanoseconds.
  public var max: Int64
  /// Their latencies as ``HistogramText``.
  public var histogram: String

  /// Creates the figures of a kind.
  public init(kind: String, operations: Int, max: Int64, histogram: String) {
    self.kind = kind
    self.operations = operations
    self.max = max
    self.histogram = histogram
  }
}
