import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// The results of one benchmark: a row of `summary.csv`. Properties that were not measured are nil.
public struct SummaryRow: Sendable, Equatable {
  /// The benchmark cell: backend, workload, number of records and other conditions.
  public var cell: Cell
  /// A short hash of the machine that measured the row; see `MachineEnvironment.machine`.
  public var machine: String
  /// The name of the run from which the results are.
  public var run: String
  /// The safety level of the backend's saves, such as `durable` (a power cut loses nothing). Nil for read-only
  /// workloads.
  public var level: Level?
  /// The settings of the store as the engine reports them, such as `synchronous=2`; may be empty.
  public var settings: String = ""
  /// The version of the engine, as the engine reports it.
  public var engineVersion: String
  /// The origin of the measured code: the engine itself, an emulation by this suite, or an imitation (work-alike).
  public var fidelity: Fidelity
  /// The status of the measurement, such as `ok` or `failed`.
  public var status: Status = .ok
  /// A remark on the measurement, such as the reason of a failure; may be empty.
  public var note: String = ""
  /// The number of measuring processes that timed operations.
  public var processes: Int = 0
  /// The number of timed operations in all measuring processes together.
  public var operations: Int = 0
  /// The median time of an operation, in nanoseconds. Nil if a mixed workload has only a mean time.
  public var p50: Double?
  /// The uncertainty of ``p50``, as an interval in nanoseconds. Nil if there were too few measuring processes.
  public var p50Interval: MedianInterval?
  /// The 90th percentile of an operation's time in nanoseconds. Nil without individually timed operations.
  public var p90: Double?
  /// The 99th percentile of an operation's time in nanoseconds. Nil for fewer than 100 individually timed operations.
  public var p99: Double?
  /// The 99.9th percentile of an operation's time in nanoseconds. Nil for fewer than 1,000 individually timed
  /// operations.
  public var p999: Double?
  /// The exact time of the slowest operation in nanoseconds. Nil if operations were timed only in batches.
  public var max: Double?
  /// The mean time of an operation in nanoseconds.
  public var mean: Double?
  /// The number of operations divided by the elapsed time in seconds. Nil if nothing was timed.
  public var operationsPerSecond: Double?
  /// The processor time per operation, in nanoseconds. Nil if nothing was timed.
  public var cpuPerOperation: Double?
  /// The latencies of each kind of operation in a mixed workload, in the order of ``KindLatency/known``.
  public var kinds: [KindLatency] = []
  /// The number of operations longer than a 60 Hz frame (16.7 ms). Nil if not counted.
  public var overFrame: Int?
  /// The number of operations longer than half a 60 Hz frame (8.3 ms). Nil if not counted.
  public var overHalfFrame: Int?
  /// The counts of the backend's work, such as syncs and bytes written, from an untimed process. Nil if nothing was
  /// counted.
  public var cost: Cost? {
    get { counted.first }
    set { counted = newValue.map { [$0] } ?? [] }
  }
  /// The value of ``cost`` as an array of at most one element. Copies of the row share its storage, which saves memory.
  private var counted: [Cost] = []
  /// Additional values that the workload reported, such as the number of lost saves.
  public var findings: [Finding] = []
  /// A hash of the workload's first operations; may be empty. Backends with equal hashes did the same operations.
  public var streamHash: String = ""
  /// The name of the data set file that contains the records; empty for generated records.
  public var dataset: String = ""
  /// The seed of the benchmark run's random numbers.
  public var seed: UInt64

  /// The times of each round (repetition), for comparing results round by round.
  public var rounds = Rounds()
  /// The histogram of latencies in nanoseconds. Each measuring process has the same total weight. Nil if not available.
  public var histogram: SparseHistogram?
  /// The latencies in the measuring process with the median speed, in chronological order. Nil if not recorded.
  public var course: LatencySeries?
  /// The resemblance of the backend to the engine that it imitates; nil if it imitates none.
  public var likeness: Resemblance?
  /// The name, color and marker of the backend in reports; nil in runs of older versions.
  public var appearance: Appearance?
  /// Whether the backend keeps data only in memory, so that reports show its time without a rank.
  public var isFloor = false
  /// Whether every save of the backend writes the whole store.
  public var isWholeFile = false
  /// Whether the backend's counts, such as the number of syncs, may differ between equal repetitions.
  public var countsVary = false
  /// The time of an operation in nanoseconds, predicted from smaller stores. Nil if there is no prediction.
  public var predicted: Double?
  /// Whether only one process timed the operation, because the operation takes very long.
  public var isTimedOnce = false
  /// The trend of the speed during the measurement: steady, slower or faster.
  public var steadiness = Steadiness.steady
  /// The reason why the times are doubtful, such as other programs that used the processor. Nil for reliable times.
  public var disturbance: String?
  /// Whether the times are doubtful. Comparisons and recommendations leave out such a result.
  public var isDisturbed: Bool { disturbance != nil }
  /// Whether operations were timed in batches, because a single operation is too short for the clock.
  public var isBatched = false
  /// Whether the backend was too slow to start the operations at their planned times.
  public var fellBehind = false
  /// Whether some measurements were made after the run was interrupted and resumed.
  public var isResumed = false

  /// Creates the row of a benchmark without measured values.
  public init(
    cell: Cell, machine: String, run: String, level: Level?, engineVersion: String, fidelity: Fidelity,
    seed: UInt64
  ) {
    self.cell = cell
    self.machine = machine
    self.run = run
    self.level = level
    self.engineVersion = engineVersion
    self.fidelity = fidelity
    self.seed = seed
  }

  /// The time of an operation in reports, in nanoseconds: ``p50`` or, for a mix of operations, 1e9 /
  /// ``operationsPerSecond``.
  public var typicalTime: Double? { p50 ?? operationsPerSecond.map { 1e9 / $0 } }

  /// The time of an operation for recommendations, in nanoseconds: ``typicalTime`` or, if much longer, the ``mean``.
  public var answerTime: Double? { meanDiffers ? mean : typicalTime }
  var answerRounds: Rounds { meanDiffers ? rounds.means : rounds }

  /// Whether the mean time is so much longer than the median that reports must show both.
  public var meanDiffers: Bool {
    // Latency that includes waiting in a queue depends on the length of the measurement.
    guard let mean, let p50, !fellBehind else { return false }
    return MeanRule.differs(
      mean: mean, median: p50, processes: rounds.values.map { ($0.meanLatency, $0.typical) },
      samples: rounds.values.reduce(0) { $0 + $1.samples })
  }

  /// Whether at least every second operation syncs the disk.
  var isSyncing: Bool { (perOperation(\.syncs) ?? 0) >= 0.5 }

  /// Whether a memory limit ended the measuring process, which is a result and not a failure.
  public var isEndedByMemory: Bool { status == .notAvailable && finding(MemoryFindings.ended) != nil }

  /// Returns a value that the workload reported under a name, such as `lost_updates`. Nil if there is no such value.
  public func finding(_ name: String) -> Double? { findings.first { $0.name == name }?.value }

  /// Returns a count, such as of syncs, divided by the number of counted operations. Nil if there is no such count.
  public func perOperation(_ count: KeyPath<Cost, Int?>) -> Double? {
    guard let cost, cost.countedOperations > 0, let total = cost[keyPath: count] else { return nil }
    return Double(total) / Double(cost.countedOperations)
  }
}

/// The times of a benchmark in one round (repetition).
public struct RoundTiming: Sendable, Equatable {
  /// The typical time of an operation in nanoseconds: the median or, for some mixed workloads, the mean.
  public var typical: Double
  /// The elapsed time divided by the number of operations, in nanoseconds; see `Timing.mean`.
  public var mean: Double
  /// Whether operations were timed in batches and not one by one.
  public var isBatched: Bool
  /// The maximum effect of the clock's error on the difference of two operation times, in nanoseconds. Smaller
  /// differences prove nothing.
  public var resolution: Double
  /// The mean time from an operation's start to its end, in nanoseconds.
  public var meanLatency: Double
  /// The number of measured times, each of one operation or one batch of operations.
  public var samples: Int

  /// Creates the times of an operation in one round, in nanoseconds. `mean` defaults to `typical`, and `meanLatency` to
  /// `mean`.
  public init(
    typical: Double, mean: Double? = nil, isBatched: Bool = false, resolution: Double, meanLatency: Double? = nil,
    samples: Int = 1
  ) {
    self.typical = typical
    self.mean = mean ?? typical
    self.isBatched = isBatched
    self.resolution = resolution
    self.meanLatency = meanLatency ?? self.mean
    self.samples = samples
  }
}

/// The latency of one kind of operation in a mixed workload, such as `read`. Operations timed in batches do not count.
public struct KindLatency: Sendable, Equatable {
  /// The kind of operation, such as `read` or `update`.
  public var kind: String
  /// The number of operations of this kind that were timed one by one.
  public var operations: Int
  /// The median latency of this kind of operation, in nanoseconds.
  public var p50: Double
  /// The 99th percentile of the latency of this kind of operation, in nanoseconds. Nil below 100 operations.
  public var p99: Double?

  /// The kinds of operations that have columns in `summary.csv`, with their names in the benchmark YCSB.
  public static let known: [(kind: String, name: String)] = [
    ("read", "READ"), ("update", "UPDATE"), ("insert", "INSERT"), ("scan", "SCAN"), ("rmw", "READ-MODIFY-WRITE"),
    ("delete", "DELETE"),
  ]
}

/// A writer of `summary.csv`, the table with one row of results for each benchmark.
public enum SummaryCSV {
  /// Returns the text of the whole file `summary.csv`, with a line for each row of results.
  public static func text(_ rows: [SummaryRow]) -> String {
    var text = CSVText.line(SummaryColumn.all.map(\.name)) + "\n"
    for row in rows { text += CSVText.line(SummaryColumn.all.map { $0.text(row) }) + "\n" }
    return text
  }
}
