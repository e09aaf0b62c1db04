import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// The results of one benchmark cell (combination of backend, workload, size and settings), as in a row of
/// `summary.csv`.
///
/// A property is nil if it was not measured. A row with status failed has no measurements.
public struct SummaryRow: Sendable, Equatable {
  /// The benchmark cell: backend, workload, number of records and other conditions.
  public var cell: Cell
  /// A short hash of the machine on which the results of the row were measured; see `MachineEnvironment.machine`.
  public var machine: String
  /// The name of the run.
  public var run: String
  /// The safety level that the backend's saves reach, as in "survives a power cut"; nil for reads.
  public var level: Level?
  /// The settings of the store as the engine reports them, such as `synchronous=2`; may be empty.
  public var settings: String = ""
  /// The version of the engine, as the engine reports it.
  public var engineVersion: String
  /// The kind of implementation: the engine's own, an emulation by this suite, or an imitation (work-alike).
  public var fidelity: Fidelity
  /// The status of the measurement, such as ok or failed.
  public var status: Status = .ok
  /// The reason if the status is not ok, otherwise remarks; may be empty.
  public var note: String = ""
  /// The number of measuring processes from which the times of the row are taken.
  public var processes: Int = 0
  /// The number of timed operations in all processes.
  public var operations: Int = 0
  /// The median time of an operation in nanoseconds: the median over all processes of their typical times (see
  /// ``RoundTiming/typical``). Nil for a workload with several kinds of operations.
  public var p50: Double?
  /// The confidence interval of ``p50`` in nanoseconds, from order statistics; nil below six processes
  /// (`MedianInterval.fewestValues`).
  public var p50Interval: MedianInterval?
  /// The 90th percentile of an operation's time in nanoseconds. All processes have the same weight. Nil if a process
  /// timed no operations one by one.
  public var p90: Double?
  /// The 99th percentile of an operation's time in nanoseconds; nil below 100 operations.
  public var p99: Double?
  /// The 99.9th percentile of an operation's time in nanoseconds; nil below 1,000 operations.
  public var p999: Double?
  /// The exact time of the slowest operation in nanoseconds. Nil if operations were timed only in batches.
  public var max: Double?
  /// The mean time of an operation in nanoseconds: the total time divided by the number of operations. With several
  /// threads, or if operations start at fixed times, the mean is computed from histograms, which are exact to 0.1 %.
  public var mean: Double?
  /// The number of operations divided by the elapsed time in seconds. Nil if nothing was timed.
  public var operationsPerSecond: Double?
  /// The processor time per operation, in nanoseconds. Nil if nothing was timed.
  public var cpuPerOperation: Double?
  /// The latency of each kind of operation in a mixed workload, in the order of ``KindLatency/known``. Empty for other
  /// workloads. `summary.csv` has only the kinds listed there.
  public var kinds: [KindLatency] = []
  /// The number of operations that took longer than one frame of a screen with 60 frames a second. Nil unless the
  /// workload starts one operation with each frame.
  public var overFrame: Int?
  /// The number of operations that took longer than one frame of a screen with 120 frames a second. Nil unless the
  /// workload starts one operation with each frame.
  public var overHalfFrame: Int?
  /// The counts of the backend's work, such as syncs and bytes written. They come from a separate process that is not
  /// timed (cost pass). Nil if nothing was counted.
  public var cost: Cost? {
    get { counted?.cost }
    set { counted = newValue.map(Counted.init) }
  }
  /// The storage of ``cost``. Copies of the row share this object, because counts take half of a row's memory.
  private var counted: Counted?
  private final class Counted: Sendable, Equatable {
    let cost: Cost
    init(_ cost: Cost) { self.cost = cost }
    static func == (left: Counted, right: Counted) -> Bool { left.cost == right.cost }
  }
  /// Further values that the workload reported, such as the number of lost saves, from all trials (measuring processes)
  /// together; see `Finding`.
  public var findings: [Finding] = []
  /// The hash of all operations of the workload. Equal hashes show that backends did equal work. May be empty.
  public var streamHash: String = ""
  /// The name of the file from which the records were read, or an empty text for generated records.
  public var dataset: String = ""
  /// The seed of the run's random numbers.
  public var seed: UInt64

  /// The times of each round (repetition), so that results can be compared round by round. Not in `summary.csv`.
  public var rounds: Rounds = [:]
  /// The histogram of the latencies of all processes in nanoseconds, each process with the same weight. Nil unless
  /// every process timed all of its operations one by one. Not in `summary.csv`.
  public var histogram: SparseHistogram?
  /// The latencies over time of one process, which is the process with the median typical time. Nil if there were too
  /// few operations. Not in `summary.csv`.
  public var course: LatencySeries?
  /// The resemblance of a work-alike (an imitation of an engine) to the original engine. Not in `summary.csv`.
  public var likeness: Resemblance?
  /// The name, colour and marker of the backend in reports; nil in runs of older versions. Not in `summary.csv`.
  public var appearance: Appearance?
  /// Whether the backend is a lower bound that no real store can beat, shown without a rank. Not in `summary.csv`.
  public var isFloor = false
  /// Whether every save of the backend writes the whole store. Not in `summary.csv`.
  public var isWholeFile = false
  /// Whether the backend's counts, such as of syncs, may differ between equal repetitions. Not in `summary.csv`.
  public var countsVary = false
  /// The expected time of an operation in nanoseconds, predicted from smaller stores. Nil unless the measurement was
  /// skipped because it would take too long. In `summary.csv` it is a part of the note.
  public var predicted: Double?
  /// Whether the operation was timed in a single process, because it takes very long. Such a row has no interval and is
  /// never called the fastest.
  public var isTimedOnce = false
  /// The change of speed during the measurement: steady, slower or faster. In `summary.csv` it is a part of the note.
  public var steadiness = Steadiness.steady
  /// The change of speed during the measurement as text: `not steady: gets slower`. Nil if there was none.
  public var steadinessInWords: String? {
    switch steadiness {
    case .steady: nil
    case .slower: "not steady: gets slower"
    case .faster: "not steady: gets faster"
    }
  }
  /// The reason why the times count as disturbed, such as by other programs. Nil if they are not disturbed. In
  /// `summary.csv` the reason is a part of the note.
  public var disturbance: String?
  /// Whether the times were disturbed, such as by other programs. Comparisons, sentences and advice leave out such a
  /// row.
  public var isDisturbed: Bool { disturbance != nil }
  /// Whether operations were timed in batches, because a single operation is too short for the clock.
  public var isBatched = false
  /// Whether the backend was too slow to start operations at the times that the workload prescribes.
  public var fellBehind = false
  /// Whether a part of the measurements was made after the run was interrupted and resumed.
  public var isResumed = false

  /// Creates the row of a benchmark cell (backend, workload, size and settings) without measured values.
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

  /// The time in nanoseconds that reports show for one operation: ``p50``, or for a mixed workload 1 /
  /// ``operationsPerSecond``.
  public var typicalTime: Double? { p50 ?? operationsPerSecond.map { 1e9 / $0 } }

  /// The time in nanoseconds that recommendations assume for one operation. It is the mean if slow operations make it
  /// clearly differ from the median, because they delay an app, too. Otherwise it is ``typicalTime``.
  public var answerTime: Double? { meanDiffers ? mean : typicalTime }
  var answerRounds: Rounds { meanDiffers ? rounds.means : rounds }

  /// Whether the mean is so much larger than the median that reports must show both; see `MeanRule`.
  public var meanDiffers: Bool {
    // Latency that includes waiting in a queue depends on the length of the measurement, so the mean is not comparable.
    guard let mean, let p50, !fellBehind else { return false }
    return MeanRule.differs(
      mean: mean, median: p50, processes: rounds.values.map { ($0.meanLatency, $0.typical) },
      samples: rounds.values.reduce(0) { $0 + $1.samples })
  }

  /// Whether the process needed more memory than its limit and was ended. This is a result and not a failure.
  public var isEndedByMemory: Bool { status == .notAvailable && finding(MemoryFindings.ended) != nil }

  /// Returns a value that the workload reported under a name, such as the number of lost saves. Nil if the row has no
  /// such value.
  public func finding(_ name: String) -> Double? { findings.first { $0.name == name }?.value }

  /// Returns a count, such as of syncs, per operation. Nil if it was not counted.
  public func perOperation(_ count: KeyPath<Cost, Int?>) -> Double? {
    guard let cost, cost.countedOperations > 0, let total = cost[keyPath: count] else { return nil }
    return Double(total) / Double(cost.countedOperations)
  }

  /// The bytes written divided by the bytes that the operations changed, see `CountRatio.amplification`. Nil if not
  /// counted.
  public var writeAmplification: Double? { cost.flatMap(CountRatio.amplification.value) }
}

/// The times of one measuring process, which is one round (repetition) of a benchmark. They are compared with the times
/// of other benchmarks in the same round.
public struct RoundTiming: Sendable, Equatable {
  /// The typical time of an operation in nanoseconds, from `Timing.typical`.
  public var typical: Double
  /// The mean time of an operation in nanoseconds, from `Timing.mean`.
  public var mean: Double
  /// Whether operations were timed in batches and not one by one.
  public var isBatched: Bool
  /// The difference in nanoseconds below which times count as equal: the cost of a clock reading, or 2 ns for batches.
  public var resolution: Double
  /// The mean latency of an operation in nanoseconds. It differs from ``mean`` only with several threads, or if
  /// operations start at fixed times.
  public var meanLatency: Double
  /// The number of times that were measured. Each is the time of one operation, or of one batch of operations.
  public var samples: Int

  /// Creates the times of one process.
  ///
  /// - Parameters:
  ///   - typical: The median time of an operation, in nanoseconds.
  ///   - mean: The mean time of an operation, in nanoseconds; the default is the typical time.
  ///   - isBatched: Whether operations were timed in batches.
  ///   - resolution: The difference in nanoseconds that the timer alone may cause.
  ///   - meanLatency: The mean latency in nanoseconds; the default is the mean.
  ///   - samples: The number of times that were measured.
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

/// The latency of one kind of operation in a mixed workload, such as `read`. Only operations that were timed one by one
/// count.
public struct KindLatency: Sendable, Equatable {
  /// The kind of operation, such as `read` or `update`.
  public var kind: String
  /// The number of operations of the kind that were timed.
  public var operations: Int
  /// The median latency of this kind of operation, in nanoseconds.
  public var p50: Double
  /// The 99th percentile of the latency of this kind of operation, in nanoseconds. Nil below 100 operations.
  public var p99: Double?

  /// Creates the latency figures of one kind of operation in a mixed workload.
  public init(kind: String, operations: Int, p50: Double, p99: Double?) {
    self.kind = kind
    self.operations = operations
    self.p50 = p50
    self.p99 = p99
  }

  /// The kinds of operations that have columns in `summary.csv`, with their names in the benchmark YCSB.
  public static let known: [(kind: String, name: String)] = [
    ("read", "READ"), ("update", "UPDATE"), ("insert", "INSERT"), ("scan", "SCAN"), ("rmw", "READ-MODIFY-WRITE"),
    ("delete", "DELETE"),
  ]
}

/// A writer of `summary.csv`, the table with one row of results for each benchmark.
public enum SummaryCSV {
  /// The names of the columns of `summary.csv`, in order.
  public static var columns: [String] { SummaryColumn.all.map(\.name) }

  /// Returns the text of the whole file `summary.csv`, with a line for each row of results.
  public static func text(_ rows: [SummaryRow]) -> String {
    var text = CSVText.line(columns) + "\n"
    for row in rows { text += CSVText.line(SummaryColumn.all.map { $0.text(row) }) + "\n" }
    return text
  }
}
