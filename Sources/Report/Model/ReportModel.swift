import StorageContract
import StorageRunFiles
import StorageStatistics

/// A benchmark run in the form that all report formats use: the plan, the machine, and the result of each cell.
public struct ReportModel: Sendable {
  /// The directory of the run and of its reports.
  public let directory: RunDirectory
  /// The plan of the benchmark run, with all cells (backend, workload, size and settings) to measure.
  public let plan: Plan
  /// The machine of the run, and the build of the benchmark program.
  public let environment: MachineEnvironment
  /// The results of the run, one for each cell (one backend doing one workload at one size), in the order of the plan.
  public let rows: [SummaryRow]
  /// The number of trials in the benchmark run.
  public let trials: Int
  /// A reader of the trials whose results are in this report. Trials that were added later are not read.
  public let journal: TrialReader
  /// Sentences on reasons to doubt the results, such as disturbance by other programs.
  public let warnings: [String]
  /// The part of ``warnings`` that was found when the results were read, such as a cut-off line in a file.
  public let readingWarnings: [String]
  /// The groups of results that are ranked against each other: all backends for one workload, size and safety level.
  public let groups: [ComparisonGroup]
  /// The results by number of records, one series for each backend, workload, durability and conditions.
  public let series: [CostSeries]
  /// The changes of the machine's speed during the run.
  public let drift: Drift
  /// The total measured time and the total number of syncs of all trials.
  public let measured: MeasuringShare.Measured
  /// The start of the first trial, in seconds since 1970. Nil without trials.
  public internal(set) var began: Double?
  /// The results of crash tests, from this run's directory and its sibling directories.
  public let safety: SafetyRecords
  /// The runs that were combined into this report. Empty for a report on a single run.
  public internal(set) var runs: [PooledRun] = []
  /// The color, shape and dashes of each backend in charts. Backends that differ only in options differ only in dashes.
  private let marks: [Spec: SeriesMark]

  /// Reads a benchmark run from its directory.
  ///
  /// - Throws: `UsageError` with the path, if files are missing, damaged, of different runs or of another version.
  public init(reading directory: RunDirectory) throws {
    try directory.check()
    let plan = try directory.plan()
    let environment = try directory.environment()
    var builder = SummaryBuilder(plan: plan, machine: environment.machine, run: directory.name)
    var paces: [(started: Double, cell: Int, time: Double)] = []
    var measured = MeasuringShare.Measured()
    var began: Double?
    var streams = StreamCheck()
    let end = try directory.trials.forEach { trial in
      measured.add(trial)
      began = min(began ?? trial.started, trial.started)
      streams.add(trial)
      guard let index = builder.add(trial) else {
        throw UsageError(
          "\(directory.trialsURL.path) has the cell \(trial.cell.name), which plan.json does not list; take both files from the same run"
        )
      }
      if let timing = trial.timing { paces.append((trial.started, index, timing.typical)) }
    }
    let rows = builder.rows
    // A report names winners even on a disturbed machine, because intervals show the uncertainty; only CI checks
    // refuse.
    let warnings = [
      end.isTruncated ? "The last line of trials.jsonl is cut off and was dropped." : nil, streams.difference,
      MachineFitness.defect(directory.probes, allowsFew: true).map { "The machine was not quiet: \($0)." },
      Self.disturbed(rows),
    ]
    self.init(
      directory: directory, plan: plan, environment: environment, rows: rows, trials: end.trials,
      journal: directory.trials.again(end), warnings: warnings.compactMap { $0 },
      drift: Drift(paces) { rows[$0].isSyncing }, measured: measured, safety: try SafetyRecords(of: directory))
    self.began = began
  }

  static func disturbed(_ rows: [SummaryRow]) -> String? {
    let timed = rows.filter { $0.status == .ok && $0.typicalTime != nil }
    let disturbed = timed.filter(\.isDisturbed)
    guard let first = disturbed.first, let reason = first.disturbance else { return nil }
    let count =
      disturbed.count == timed.count
      ? (timed.count == 1 ? "The timed row was" : "All \(timed.count) timed rows were")
      : "\(disturbed.count) of \(timed.count) timed rows \(disturbed.count == 1 ? "was" : "were")"
    return "\(count) disturbed by other work on the machine, and \(disturbed.count == 1 ? "takes" : "take") part in no "
      + "comparison and no advice (\(first.cell.name): \(reason)). Run again when the machine is quiet."
  }

  /// Creates a report model from its parts.
  ///
  /// - Parameters:
  ///   - directory: The directory of the run and of its reports.
  ///   - plan: The plan of the run.
  ///   - environment: The machine and the build.
  ///   - rows: The results, one for each benchmark of the plan, in the plan's order.
  ///   - trials: The number of trials in the journal.
  ///   - journal: A reader of the trials; the default is the directory's journal.
  ///   - warnings: The warnings that are not in `environment`.
  ///   - drift: The changes of the machine's speed during the run.
  ///   - measured: The total measured time and the total number of syncs of all trials.
  ///   - safety: The results of crash tests.
  public init(
    directory: RunDirectory, plan: Plan, environment: MachineEnvironment, rows: [SummaryRow], trials: Int,
    journal: TrialReader? = nil, warnings: [String] = [], drift: Drift = Drift([]) { _ in false },
    measured: MeasuringShare.Measured = MeasuringShare.Measured(), safety: SafetyRecords = SafetyRecords()
  ) {
    self.directory = directory
    self.plan = plan
    self.environment = environment
    self.rows = rows
    self.trials = trials
    self.journal = journal ?? directory.trials
    self.warnings = environment.warnings + warnings
    readingWarnings = warnings
    groups = ComparisonGroup.all(in: rows)
    series = CostSeries.all(in: rows)
    self.drift = drift
    self.measured = measured
    self.safety = safety
    let looks = Dictionary(rows.map { ($0.cell.backend, $0.appearance) }, uniquingKeysWith: { $1 })
    marks = SeriesMark.marks(of: rows.map(\.cell.backend).unique) { looks[$0] ?? nil }
  }

  func mark(_ backend: Spec) -> SeriesMark { marks[backend] ?? SeriesMark(index: 0) }

  /// The backends of the run with their options, in the order of the plan.
  public var backends: [Spec] { rows.map(\.cell.backend).unique }

  /// Returns the results of all benchmarks with the given status, such as failed.
  public func rows(_ status: Status) -> [SummaryRow] { rows.filter { $0.status == status } }

  /// Returns the line of source code that opens a store with the backend and durability of `cell`. Nil if unknown.
  func code(_ cell: Cell) -> String? {
    let backend = plan.backends?.first { $0.name == cell.backend.description }
    return cell.durability.flatMap { backend?.code?[$0.rawValue] }
  }

  /// The typical uncertainty of measured times: 0.04 is ±4 %. `syncing` is for operations that sync the disk, `others`
  /// for the rest. Nil if unknown.
  public var noise: (syncing: Double?, others: Double?) {
    func typical(_ rows: [SummaryRow]) -> Double? {
      Quantile.median(of: rows.compactMap { $0.p50Interval?.relativeHalfWidth }.sorted())
    }
    return (typical(rows.filter(\.isSyncing)), typical(rows.filter { !$0.isSyncing }))
  }

  /// A sentence such as `a sync costs 1.2 ms`, with the time on the run's disk. Nil if not measured.
  public var syncSentence: String? {
    guard let cost = environment.syncCost else { return nil }
    let text = "a sync costs \(NumberFormat.time(cost))"
    return cost < Self.flushingFrom ? text + ": this disk does not flush" : text
  }

  /// The time of a sync, in nanoseconds, below which reports state that the disk does not flush.
  public static let flushingFrom = 20_000.0
}

/// A check that all backends ran the same operations in each round (repetition).
private struct StreamCheck {
  private var round = 0
  private var first: [Cell: (cell: Cell, hash: String)] = [:]
  /// A sentence on two measuring processes that should have run equal operations but did not. Nil if there are none.
  private(set) var difference: String?

  mutating func add(_ trial: Trial) {
    guard difference == nil, let round = trial.round, let hash = trial.streamHash else { return }
    if self.round != round { (self.round, first) = (round, [:]) }
    let known = first[trial.cell.work] ?? (trial.cell, hash)
    first[trial.cell.work] = known
    guard known.hash != hash else { return }
    difference =
      known.cell == trial.cell
      ? "\(trial.cell.name) did other operations in one of its trials of round \(round): its rounds are of two operation streams."
      : "\(known.cell.name) and \(trial.cell.name) did different operations in round \(round): their times cannot be compared."
  }
}

extension Collection {
  /// Groups the elements by a key, in the order in which the keys first occur.
  package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, members: [Element])] {
    let members = Dictionary(grouping: self, by: key)
    return map(key).unique.map { ($0, members[$0] ?? []) }
  }
}
