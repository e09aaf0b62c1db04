import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// The results of one cell's trials: one row of `summary.csv`.
///
/// Nil means not measured. A failed row has no figures.
public struct SummaryRow: Sendable, Equatable {
  /// The cell: backend, workload, number of records and conditions.
  public var cell: Cell
  /// A short hash of the machine that measured the row; see `MachineEnvironment.machine`.
  public var machine: String
  /// The name of the run.
  public var run: String
  /// The safety level of the row's saves; nil for reads.
  public var level: Level?
  /// The engine's literal settings, or an empty text.
  public var settings: String = ""
  /// The engine's version, as it reports it.
  public var engineVersion: String
  /// The kind of implementation: the engine's own, an emulation, or a work-alike.
  public var fidelity: Fidelity
  /// The status of the cell.
  public var status: Status = .ok
  /// The reason if the status is not ok, or a remark; may be empty.
  public var note: String = ""
  /// The number of timed trials that count.
  public var processes: Int = 0
  /// The number of timed operations in all processes.
  public var operations: Int = 0
  /// The median of the processes' typical times (see ``RoundTiming/typical``), in nanoseconds; nil for a mix.
  public var p50: Double?
  /// The order-statistic interval of ``p50``, in nanoseconds; nil below six processes.
  public var p50Interval: MedianInterval?
  /// The 90th percentile in nanoseconds, with equal weights of processes; nil unless all timed operations one by one.
  public var p90: Double?
  /// The 99th percentile of an operation's time in nanoseconds; nil below 100 operations.
  public var p99: Double?
  /// The 99.9th percentile of an operation's time in nanoseconds; nil below 1,000 operations.
  public var p999: Double?
  /// The exact time of the slowest operation in nanoseconds.
  public var max: Double?
  /// The mean time of an operation in nanoseconds: the exact total time divided by the number of operations. With
  /// several threads or a schedule, elapsed time is not the sum of latencies. The mean is then that of the histograms'
  /// buckets, exact to 0.1 %.
  public var mean: Double?
  /// The number of operations divided by the elapsed time in seconds.
  public var operationsPerSecond: Double?
  /// The processor time per operation, in nanoseconds.
  public var cpuPerOperation: Double?
  /// The kinds of operations of a mix, in the order in which the workload lists them; empty for other workloads. Only
  /// ``KindLatency/known`` kinds are in `summary.csv`.
  public var kinds: [KindLatency] = []
  /// The number of operations that took longer than a frame at 60 per second, if the workload is paced by the screen.
  public var overFrame: Int?
  /// The number of operations that took longer than a frame at 120 per second, as ``overFrame``.
  public var overHalfFrame: Int?
  /// The counts of the cost pass, such as syncs and bytes written.
  public var cost: Cost? {
    get { counted?.cost }
    set { counted = newValue.map(Counted.init) }
  }
  /// Counts are half of a row's memory. Copies of a row, which is part of several groups and curves, share them.
  private var counted: Counted?
  private final class Counted: Sendable, Equatable {
    let cost: Cost
    init(_ cost: Cost) { self.cost = cost }
    static func == (left: Counted, right: Counted) -> Bool { left.cost == right.cost }
  }
  /// The findings that the workload reported, combined over all trials; see `Finding`.
  public var findings: [Finding] = []
  /// The hash of the operation stream, or an empty text.
  public var streamHash: String = ""
  /// The name of the file with the workload's records, or an empty text.
  public var dataset: String = ""
  /// The seed of the run.
  public var seed: UInt64

  /// The timings of the rounds, for comparing rows round by round. Not in `summary.csv`.
  public var rounds: Rounds = [:]
  /// The latencies of all processes in nanoseconds, each process with the same weight; nil unless every process timed
  /// all of its operations one by one. Not in `summary.csv`.
  public var histogram: SparseHistogram?
  /// The latencies of the process with the median typical time, in the order of its operations. Nil if there were too
  /// few operations. Not in `summary.csv`.
  public var course: LatencySeries?
  /// The resemblance of a work-alike to the system that it imitates. Not in `summary.csv`.
  public var likeness: Resemblance?
  /// The backend's name, colour and marker; nil in older runs. Not in `summary.csv`.
  public var appearance: Appearance?
  /// Whether the backend is a lower bound for comparison, shown without a rank. Not in `summary.csv`.
  public var isFloor = false
  /// Whether every save of the backend writes the whole store. Not in `summary.csv`.
  public var isWholeFile = false
  /// Whether the backend declares that its counts do not repeat exactly. Not in `summary.csv`.
  public var countsVary = false
  /// The predicted time of an operation in nanoseconds, if the cell was not timed because smaller sizes predict too
  /// long a time. Not in `summary.csv`, whose note contains it.
  public var predicted: Double?
  /// Whether one operation took so long that the cell was timed once. Such a row has no interval and never wins.
  public var isTimedOnce = false
  /// Whether operations become slower or faster during a trial. Not in `summary.csv`, whose note contains it.
  public var steadiness = Steadiness.steady
  /// The steadiness of the times as text: `not steady: gets slower`. Nil if steady.
  public var steadinessInWords: String? {
    switch steadiness {
    case .steady: nil
    case .slower: "not steady: gets slower"
    case .faster: "not steady: gets faster"
    }
  }
  /// The reason why other processes disturbed the row's times, or nil. Not in `summary.csv`, whose note contains it.
  public var disturbance: String?
  /// Whether other processes disturbed the times, so that comparisons, sentences and advice exclude the row.
  public var isDisturbed: Bool { disturbance != nil }
  /// Whether operations were timed in batches because they are too short for the clock.
  public var isBatched = false
  /// Whether scheduled operations could not keep to the schedule.
  public var fellBehind = false
  /// Whether some trials were run after an interruption of the run.
  public var isResumed = false

  /// Creates a row without measured values.
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

  /// The displayed time of one operation in nanoseconds: ``p50``, or for a mix the inverse of ``operationsPerSecond``.
  public var typicalTime: Double? { p50 ?? operationsPerSecond.map { 1e9 / $0 } }

  /// The time of one operation in nanoseconds for advice on the time of a save or a read: the mean if it differs from
  /// the median, because an app pays for all operations; otherwise ``typicalTime``.
  public var answerTime: Double? { meanDiffers ? mean : typicalTime }
  var answerRounds: Rounds { meanDiffers ? rounds.means : rounds }

  /// Whether the mean is so much larger than the median that both must be reported; see `MeanRule`.
  public var meanDiffers: Bool {
    // Latency that includes waiting in a queue depends on the length of the trial.
    guard let mean, let p50, !fellBehind else { return false }
    return MeanRule.differs(
      mean: mean, median: p50, processes: rounds.values.map { ($0.meanLatency, $0.typical) },
      samples: rounds.values.reduce(0) { $0 + $1.samples })
  }

  /// Whether the cell's memory limit ended its process, which is a result and not a failure.
  public var isEndedByMemory: Bool { status == .notAvailable && finding(MemoryFindings.ended) != nil }

  /// Returns the value of a finding by name; nil if the row has no such finding.
  public func finding(_ name: String) -> Double? { findings.first { $0.name == name }?.value }

  /// Returns a count of the cost pass per operation, such as syncs; nil if not measured.
  public func perOperation(_ count: KeyPath<Cost, Int?>) -> Double? {
    guard let cost, cost.countedOperations > 0, let total = cost[keyPath: count] else { return nil }
    return Double(total) / Double(cost.countedOperations)
  }

  /// The bytes written divided by the bytes changed, see `CountRatio/amplification`.
  public var writeAmplification: Double? { cost.flatMap(CountRatio.amplification.value) }
}

/// The values of a timed trial that are needed to compare it with another of the same round.
public struct RoundTiming: Sendable, Equatable {
  /// The typical time of an operation in nanoseconds, the value of `Timing.typical`.
  public var typical: Double
  /// The mean time of an operation in nanoseconds, the value of `Timing.mean`.
  public var mean: Double
  /// Whether operations were timed in batches.
  public var isBatched: Bool
  /// The timer's resolution in nanoseconds, below which differences are ignored: 2 in batches, else a clock reading.
  public var resolution: Double
  /// The mean latency of operations in nanoseconds. It equals ``mean`` unless there are several threads or a schedule.
  public var meanLatency: Double
  /// The number of timed items: operations, or batches of them.
  public var samples: Int

  /// Creates a round's timing.
  ///
  /// - Parameters:
  ///   - typical: The median time of an operation, in nanoseconds.
  ///   - mean: The mean time of an operation, in nanoseconds; the default is the typical time.
  ///   - isBatched: Whether operations were timed in batches.
  ///   - resolution: The difference in nanoseconds that the timer alone may cause.
  ///   - meanLatency: The mean latency in nanoseconds; the default is the mean.
  ///   - samples: The number of timed items.
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

/// The latency of one kind of operation of a mix. Only operations timed one by one are included.
public struct KindLatency: Sendable, Equatable {
  /// The name of the kind of operation in the workload: `read`.
  public var kind: String
  /// The number of operations of the kind.
  public var operations: Int
  /// The median latency in nanoseconds.
  public var p50: Double
  /// The 99th percentile of latency in nanoseconds; nil below 100 operations.
  public var p99: Double?

  /// Creates the latency figures of a kind of operation.
  public init(kind: String, operations: Int, p50: Double, p99: Double?) {
    self.kind = kind
    self.operations = operations
    self.p50 = p50
    self.p99 = p99
  }

  /// The kinds of operations that have columns in reports, with their names in YCSB's output.
  public static let known: [(kind: String, name: String)] = [
    ("read", "READ"), ("update", "UPDATE"), ("insert", "INSERT"), ("scan", "SCAN"), ("rmw", "READ-MODIFY-WRITE"),
  ]
}

/// A writer of `summary.csv`.
public enum SummaryCSV {
  /// The names of the columns of `summary.csv`, in order.
  public static var columns: [String] { SummaryColumn.all.map(\.name) }

  /// Returns the text of the whole file `summary.csv`.
  public static func text(_ rows: [SummaryRow]) -> String {
    var text = CSVText.line(columns) + "\n"
    for row in rows { text += CSVText.line(SummaryColumn.all.map { $0.text(row) }) + "\n" }
    return text
  }
}
