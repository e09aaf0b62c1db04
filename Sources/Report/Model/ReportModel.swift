import StorageContract
import StorageRunFiles
import StorageStatistics

/// What every format is written from: a run's plan, where it ran, and what its trials say per cell.
public struct ReportModel: Sendable {
  /// Where the run lies.
  public let directory: RunDirectory
  /// What was planned.
  public let plan: Plan
  /// Where and with what it ran.
  public let environment: MachineEnvironment
  /// One row per planned cell, in the plan's order.
  public let rows: [SummaryRow]
  /// Trials that were read.
  public let trials: Int
  /// These trials, to be read once more: a run that is still going on has added others by then.
  public let journal: TrialReader
  /// Sentences on what makes the figures doubtful, the environment's among them.
  public let warnings: [String]
  /// Those of ``warnings`` that are about the run's files, and not about its machine.
  public let readingWarnings: [String]
  /// What is compared with each other, in the order of the plan.
  public let groups: [ComparisonGroup]
  /// What each backend's operations cost over N.
  public let series: [CostSeries]
  /// How the machine's pace changed over the run.
  public let drift: Drift
  /// What its trials have measured.
  public let measured: MeasuringShare.Measured
  /// What the fault tests found, in the run's own record and in those beside it.
  public let safety: SafetyRecords
  /// The runs that the rows were pooled from; empty for one run.
  public internal(set) var runs: [PooledRun] = []

  /// Reads a run.
  ///
  /// - Throws: `UsageError` naming the path if it is missing, empty, unreadable, not a run, damaged, of another
  ///   schema version, or mixed with trials of another plan.
  public init(reading directory: RunDirectory) throws {
    try directory.check()
    let plan = try directory.plan()
    let environment = try directory.environment()
    var builder = SummaryBuilder(plan: plan, machine: environment.machine, run: directory.name)
    var paces: [(started: Double, cell: Int, time: Double)] = []
    var measured = MeasuringShare.Measured()
    var streams = StreamCheck()
    let end = try directory.trials.forEach { trial in
      measured.add(trial)
      streams.add(trial)
      guard let index = builder.add(trial) else {
        throw UsageError(
          "\(directory.trialsURL.path) is mixed: it has the cell \(trial.cell.name), which plan.json does not list"
        )
      }
      if let timing = trial.timing { paces.append((trial.started, index, timing.typical)) }
    }
    let rows = builder.rows
    var warnings = end.isTruncated ? ["The last line of trials.jsonl is cut off and was dropped."] : []
    if let difference = streams.difference { warnings.append(difference) }
    let probes = directory.probes
    // A run names its winners all the same: its intervals show how certain they are. Only gates refuse to judge.
    if !probes.isEmpty, let defect = MachineFitness.defect(probes) {
      warnings.append("The machine was not quiet: \(defect).")
    }
    if let disturbed = Self.disturbed(rows) { warnings.append(disturbed) }
    self.init(
      directory: directory, plan: plan, environment: environment, rows: rows, trials: end.trials,
      journal: directory.trials.again(end),
      warnings: warnings,
      drift: Drift(paces) { (rows[$0].perOperation(\.syncs) ?? 0) >= 0.5 }, measured: measured,
      safety: try SafetyRecords(of: directory))
  }

  /// `12 of 94 timed rows were disturbed, and take part in no comparison and no advice: ...` Nil where none was.
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

  /// Puts a model together from its parts.
  ///
  /// - Parameters:
  ///   - directory: Where the run lies, and where reports go.
  ///   - plan: What was asked.
  ///   - environment: Where it ran.
  ///   - rows: One for each cell of the plan, in its order.
  ///   - trials: How many lines the journal has.
  ///   - journal: Where they can be read again; the directory's journal where none is given.
  ///   - warnings: Those beyond the environment's.
  ///   - drift: How the machine's pace changed during the run.
  ///   - measured: What its trials have measured.
  ///   - safety: What crash tests in the same directory found.
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
  }

  /// The backends with their options, in the order of the plan.
  public var backends: [Spec] {
    var seen: Set<Spec> = []
    return rows.map(\.cell.backend).filter { seen.insert($0).inserted }
  }

  /// Rows with the given status.
  public func rows(_ status: Status) -> [SummaryRow] { rows.filter { $0.status == status } }

  /// The median half-width of the intervals as a share, for rows that sync in each operation and for the others.
  ///
  /// - Returns: nil for a kind of which no row has an interval.
  public var noise: (syncing: Double?, others: Double?) {
    var (syncing, others): ([Double], [Double]) = ([], [])
    for row in rows {
      guard let width = row.p50Interval?.relativeHalfWidth else { continue }
      if (row.perOperation(\.syncs) ?? 0) >= 0.5 { syncing.append(width) } else { others.append(width) }
    }
    return (Quantile.median(of: syncing.sorted()), Quantile.median(of: others.sorted()))
  }

  /// What the cost of a sync says about the disk, or nil where it was not measured.
  public var syncSentence: String? {
    guard let cost = environment.syncCost else { return nil }
    let text = "a sync costs \(NumberFormat.time(cost))"
    return cost < Self.flushingFrom ? text + ": this disk does not flush" : text
  }

  /// Nanoseconds from which a sync is believed to reach a disk.
  public static let flushingFrom = 20_000.0
}

/// Sees that all backends did the same operations in a round of a workload. It remembers one round, in whose order a
/// run's trials are: memory grows with cells, not with rounds.
private struct StreamCheck {
  private var round = 0
  private var first: [Cell: (cell: Cell, hash: String)] = [:]
  /// `sqlite/save-one/100/shipped and lmdb/save-one/100/shipped did different operations in round 2: ...` Nil where all
  /// did the same.
  private(set) var difference: String?

  mutating func add(_ trial: Trial) {
    guard difference == nil, let round = trial.round, let hash = trial.streamHash else { return }
    if self.round != round { (self.round, first) = (round, [:]) }
    var work = trial.cell
    (work.backend, work.durability) = (Spec(id: ""), nil)
    guard let known = first[work] else {
      first[work] = (trial.cell, hash)
      return
    }
    guard known.hash != hash else { return }
    difference =
      known.cell == trial.cell
      ? "\(trial.cell.name) did other operations in one of its trials of round \(round): its rounds are of two operation streams."
      : "\(known.cell.name) and \(trial.cell.name) did different operations in round \(round): their times cannot be compared."
  }
}

extension Sequence {
  /// The elements by a key: groups in the order in which their keys first come up, each with its members in the order
  /// of the sequence.
  func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, members: [Element])] {
    var groups: [(key: Key, members: [Element])] = []
    var places: [Key: Int] = [:]
    for element in self {
      let key = key(element)
      if let place = places[key] {
        groups[place].members.append(element)
      } else {
        places[key] = groups.count
        groups.append((key, [element]))
      }
    }
    return groups
  }
}
