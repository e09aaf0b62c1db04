import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// The results of one cell's trials: one row of `summary.csv`.
///
/// Nil means not measured. A failed row has no figures.
public struct SummaryRow: Sendable, Equatable {
  /// The cell.
  public var cell: Cell
  /// A short hash of the machine; see `MachineEnvironment.machine`.
  public var machine: String
  /// The run's name.
  public var run: String
  /// The safety level of the row's saves; nil for reads.
  public var level: Level?
  /// The engine's literal settings, or empty.
  public var settings: String = ""
  /// The engine's version, as it reports it.
  public var engineVersion: String
  /// The kind of implementation: the engine's own, an emulation, or a work-alike.
  public var fidelity: Fidelity
  /// The status of the cell.
  public var status: Status = .ok
  /// The reason if it is not ok, or a remark; may be empty.
  public var note: String = ""
  /// The number of timed trials that count.
  public var processes: Int = 0
  /// The number of their timed operations.
  public var operations: Int = 0
  /// The median of the processes' typical times (see ``RoundTiming/typical``), in nanoseconds; nil for a mix.
  public var p50: Double?
  /// The order-statistic interval of ``p50``, in nanoseconds; nil below six processes.
  public var p50Interval: MedianInterval?
  /// The 90th percentile in nanoseconds, each process with the same weight; nil unless every process timed operations
  /// one by one.
  public var p90: Double?
  /// The 99th percentile in nanoseconds; nil below 100 operations.
  public var p99: Double?
  /// The 99.9th percentile in nanoseconds; nil below 1,000 operations.
  public var p999: Double?
  /// The time of the slowest operation, exactly, in nanoseconds.
  public var max: Double?
  /// The mean time of an operation in nanoseconds: the total time divided by the number of operations, exactly. With
  /// several threads or a schedule, elapsed time is not the sum of latencies; then it is the mean of the histograms'
  /// buckets, which is exact to 0.1 %.
  public var mean: Double?
  /// The number of operations divided by the elapsed time.
  public var operationsPerSecond: Double?
  /// Processor time per operation, in nanoseconds.
  public var cpuPerOperation: Double?
  /// The kinds of operations of a mix, in the order in which the workload lists them; empty for other workloads. Only
  /// ``KindLatency/known`` ones are in `summary.csv`.
  public var kinds: [KindLatency] = []
  /// The number of operations that took longer than a frame at 60 per second, if the workload keeps the pace of the
  /// screen.
  public var overFrame: Int?
  /// The same at 120 per second.
  public var overHalfFrame: Int?
  /// The counts of the cost pass.
  public var cost: Cost? {
    get { counted?.cost }
    set { counted = newValue.map(Counted.init) }
  }
  /// The counts are half of a row. Copies of a row, which is part of several groups and curves, share them.
  private var counted: Counted?
  private final class Counted: Sendable, Equatable {
    let cost: Cost
    init(_ cost: Cost) { self.cost = cost }
    static func == (left: Counted, right: Counted) -> Bool { left.cost == right.cost }
  }
  /// The findings of the workload, combined over all trials; see `Finding`.
  public var findings: [Finding] = []
  /// The hash of the operation stream, or empty.
  public var streamHash: String = ""
  /// The name of the file with the records, or empty.
  public var dataset: String = ""
  /// The run's seed.
  public var seed: UInt64

  /// The timings of the rounds, for comparing rows round by round. Not in `summary.csv`.
  public var rounds: Rounds = [:]
  /// The latencies of all processes in nanoseconds, each process with the same weight; nil unless every process timed
  /// all of its operations one by one. Not in `summary.csv`.
  public var histogram: SparseHistogram?
  /// The latencies of the process with the median typical time, in the order of its operations. Nil if there were too
  /// few. Not in `summary.csv`.
  public var course: LatencySeries?
  /// The resemblance of a work-alike to the system that it imitates. Not in `summary.csv`.
  public var likeness: Resemblance?
  /// The backend's name, colour and marker; nil in older runs. Not in `summary.csv`.
  public var appearance: Appearance?
  /// Whether the backend is a floor to compare with, shown without a rank. Not in `summary.csv`.
  public var isFloor = false
  /// Whether every save writes the whole store. Not in `summary.csv`.
  public var isWholeFile = false
  /// Whether the backend declares that its counts do not repeat exactly. Not in `summary.csv`.
  public var countsVary = false
  /// The time of an operation in nanoseconds as predicted from smaller sizes, if it was not timed for that reason. Not
  /// in `summary.csv`, whose note contains it.
  public var predicted: Double?
  /// Whether one operation took so long that the cell was timed once. Such a row has no interval and never wins.
  public var isTimedOnce = false
  /// Whether operations become slower or faster during a trial. Not in `summary.csv`, whose note contains it.
  public var steadiness = Steadiness.steady
  /// The steadiness as text: `not steady: gets slower`. Nil if steady.
  public var steadinessInWords: String? {
    switch steadiness {
    case .steady: nil
    case .slower: "not steady: gets slower"
    case .faster: "not steady: gets faster"
    }
  }
  /// The reason why the times are not the engine's, if other processes disturbed them; otherwise nil. Not in
  /// `summary.csv`, whose note contains it.
  public var disturbance: String?
  /// Whether disturbance excludes the row from all comparisons, sentences and advice.
  public var isDisturbed: Bool { disturbance != nil }
  /// Whether operations were timed in batches because they are too short for the clock.
  public var isBatched = false
  /// Whether scheduled operations could not keep to the schedule.
  public var fellBehind = false
  /// Whether some trials were run after an interruption of the run.
  public var isResumed = false

  /// Creates a row without figures.
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

  /// The displayed time of one operation in nanoseconds: ``p50``, or for a mix the mean, the inverse of
  /// ``operationsPerSecond``.
  public var typicalTime: Double? { p50 ?? operationsPerSecond.map { 1e9 / $0 } }

  /// The time of one operation in nanoseconds for answers about the time of a save or a read: the mean if it differs
  /// from the median, because an app pays for all operations; otherwise ``typicalTime``.
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

  /// Whether the memory limit of the cell ended its process, which is a result.
  public var isEndedByMemory: Bool { status == .notAvailable && finding(MemoryFindings.ended) != nil }

  /// Returns the value of a finding; nil if there is none of that name.
  public func finding(_ name: String) -> Double? { findings.first { $0.name == name }?.value }

  /// Returns a count of the cost pass per operation; nil if not measured.
  public func perOperation(_ count: KeyPath<Cost, Int?>) -> Double? {
    guard let cost, cost.countedOperations > 0, let total = cost[keyPath: count] else { return nil }
    return Double(total) / Double(cost.countedOperations)
  }

  /// The bytes written divided by the bytes changed, see `CountRatio/amplification`.
  public var writeAmplification: Double? { cost.flatMap(CountRatio.amplification.value) }
}

/// The values of a timed trial that are needed to compare it with another of the same round.
public struct RoundTiming: Sendable, Equatable {
  /// The value of `Timing.typical`.
  public var typical: Double
  /// The value of `Timing.mean`.
  public var mean: Double
  /// Whether operations were timed in batches.
  public var isBatched: Bool
  /// The resolution in nanoseconds, below which a difference is due to the timer: 2 in batches, otherwise one reading
  /// of the clock.
  public var resolution: Double
  /// The mean latency of the operations in nanoseconds. It equals ``mean`` unless there are several threads or a
  /// schedule.
  public var meanLatency: Double
  /// The number of timed items: operations, or batches of them.
  public var samples: Int

  /// Creates a round's timing.
  ///
  /// - Parameters:
  ///   - typical: The median time of an operation, in nanoseconds.
  ///   - mean: The mean time of an operation, in nanoseconds; the default is the typical time.
  ///   - isBatched: Whether operations were timed in batches.
  ///   - resolution: The difference in nanoseconds below which the timer is the cause.
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

/// The latency of one kind of operation of a mix. Only operations that were timed one by one count.
public struct KindLatency: Sendable, Equatable {
  /// The kind's name in the workload: `read`.
  public var kind: String
  /// The number of operations.
  public var operations: Int
  /// The median in nanoseconds.
  public var p50: Double
  /// The 99th percentile in nanoseconds; nil below 100 operations.
  public var p99: Double?

  /// Creates the figures of a kind.
  public init(kind: String, operations: Int, p50: Double, p99: Double?) {
    self.kind = kind
    self.operations = operations
    self.p50 = p50
    self.p99 = p99
  }

  /// The kinds that reports know, with their names in YCSB's output.
  public static let known: [(kind: String, name: String)] = [
    ("read", "READ"), ("update", "UPDATE"), ("insert", "INSERT"), ("scan", "SCAN"), ("rmw", "READ-MODIFY-WRITE"),
  ]
}

/// A writer of `summary.csv`.
public enum SummaryCSV {
  /// The names of the columns, in order.
  public static var columns: [String] { SummaryColumn.all.map(\.name) }

  /// Returns the text of the whole file.
  public static func text(_ rows: [SummaryRow]) -> String {
    var text = CSVText.line(columns) + "\n"
    for row in rows { text += CSVText.line(SummaryColumn.all.map { $0.text(row) }) + "\n" }
    return text
  }
}
