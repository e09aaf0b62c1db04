import StorageContract
import StorageRunFiles
import StorageStatistics

/// A comparison and its result. A build is compared with committed counts (`costs.csv`). A run is compared with another
/// run or with rules. Two builds or backends are compared with each other in pairs of processes.
///
/// All output of a comparison is written from this type, and `comparison.json` is its encoding.
public struct Comparison: Sendable, Codable, Equatable {
  /// The kind of comparison, which follows from the two things that are compared.
  public enum Subject: String, Sendable, Codable {
    /// The counts of this build, such as bytes and syncs, against the counts in a file `costs.csv`.
    case costs
    /// The results of a run against the rules in a YAML file.
    case rules
    /// A run against another run.
    case runs
    /// Two executables, two backends, or two sets of options. They are measured alternately, in pairs of processes.
    case pairs
    /// One executable or backend against itself, to find the smallest change that this machine can detect.
    case noise
  }

  /// One of the two things that are compared, such as a build or a run.
  public struct Side: Sendable, Codable, Equatable {
    /// The path, Git revision or backend that the user named.
    public var name: String
    /// The machine that made the measurements, see `MachineEnvironment.machine`. Nil for a file of counts or of rules.
    public var machine: String?

    /// Creates one of the two sides of a comparison.
    public init(name: String, machine: String? = nil) {
      self.name = name
      self.machine = machine
    }
  }

  /// The version of the format of `comparison.json`.
  public var schema: Int = schemaVersion
  /// The kind of comparison.
  public var subject: Subject
  /// The side before the change, such as the older build.
  public var base: Side
  /// The side after the change, whose results are judged against the base.
  public var head: Side
  /// One judgement for each benchmark cell or rule, in the order of the plan or of the file of counts or rules.
  public var judgements: [Judgement]
  /// The colour and shape of each backend in charts, by its name with options. Nil if there are no charts.
  public var looks: [String: Appearance]?
  /// The method by which times were compared. Nil if no times were judged.
  public var method: PairedMethod?
  /// Whole sentences with reasons to doubt the result, and with steps to take.
  public var notes: [String]

  /// Creates a comparison.
  public init(
    subject: Subject, base: Side, head: Side, judgements: [Judgement], looks: [String: Appearance]? = nil,
    method: PairedMethod? = nil, notes: [String] = []
  ) {
    self.subject = subject
    self.base = base
    self.head = head
    self.judgements = judgements
    self.looks = looks
    self.method = method
    self.notes = notes
  }

  /// Returns the judgements with a given verdict, such as slower.
  public func judgements(_ verdict: ChangeVerdict) -> [Judgement] { judgements.filter { $0.verdict == verdict } }

  /// Returns the judgements with a given effect on a CI check (gate), such as a regression.
  public func judgements(_ result: GateResult) -> [Judgement] { judgements.filter { $0.verdict.result == result } }

  /// A sentence on the benchmark cells that ran but could not be judged. Few such cells are a warning, many fail the CI
  /// check. Nil if all cells were judged, or if times are not judged.
  public var missing: String? {
    guard subject != .noise, let coverage = method?.coverage, coverage.judged < coverage.cells else { return nil }
    let words = "\(coverage.judged) of \(coverage.cells) cells could be judged"
    if coverage.isEnough { return "\(words); the rest is a warning." }
    let names = coverage.judged == 0 ? "" : coverage.unjudged.joined(separator: ", ")
    let groups = names.isEmpty ? "" : ", none of \(names)"
    return "Only \(words)\(groups): a gate needs \(Coverage.leastPercent) %, and some of every backend and workload."
  }

  /// The result for a CI check (gate), from all judgements together.
  public var result: GateResult { GateResult(of: judgements.map(\.verdict), coverage: method?.coverage) }
}

/// The method by which the times of two builds or backends were compared in pairs.
public struct PairedMethod: Sendable, Codable, Equatable {
  /// The number of pairs of processes for each benchmark cell that does not sync in every operation.
  public var rounds: Int
  /// The number of pairs of processes for a benchmark cell that syncs in every operation.
  public var syncingRounds: Int
  /// The intended length of the timed part of each process, in nanoseconds.
  public var trialTime: Int64
  /// The judgements of comparing the base with itself, for some benchmark cells. A change that is found there is a
  /// false alarm.
  public var control: [Judgement]
  /// The reason why the machine counts as not quiet, or nil. On such a machine, times are judged by ``bound`` or not at
  /// all.
  public var unfit: String?
  /// The limit for changes on a machine that was not quiet, as a factor, see `NoiseBound`. A change is judged only if
  /// its whole confidence interval is beyond this factor. Nil if the machine was quiet, or if it was so disturbed that
  /// no time is judged.
  public var bound: Double?
  /// The number of benchmark cells that could be judged, out of all.
  public var coverage: Coverage?

  /// Creates a method of comparing times in pairs.
  public init(
    rounds: Int, syncingRounds: Int, trialTime: Int64, control: [Judgement] = [], unfit: String? = nil,
    bound: Double? = nil, coverage: Coverage? = nil
  ) {
    self.rounds = rounds
    self.syncingRounds = syncingRounds
    self.trialTime = trialTime
    self.control = control
    self.unfit = unfit
    self.bound = bound
    self.coverage = coverage
  }
}

/// The judgement of one benchmark cell (combination of backend, workload, size and settings), or of one rule.
public struct Judgement: Sendable, Codable, Equatable {
  /// The name of the benchmark cell (combination of backend, workload, size and settings) that was judged. In a check
  /// of rules, such as `A p50 <= 5 x B`, the text of the rule.
  public var name: String
  /// The verdict on the head (the side after the change), such as slower.
  public var verdict: ChangeVerdict
  /// The reason for the verdict. Empty if the verdict follows from the counts and times alone.
  public var note: String
  /// The counts before and after the change, such as bytes written and syncs.
  public var counts: [CountChange]
  /// The time before and after the change. Nil if nothing was timed.
  public var time: TimeChange?
  /// The figures by which a rule was judged. Nil for cells, and if a rule could not be judged for lack of data.
  public var figures: RuleFigures?

  /// Creates a judgement of a benchmark cell or a rule.
  public init(
    name: String, verdict: ChangeVerdict, note: String = "", counts: [CountChange] = [], time: TimeChange? = nil,
    figures: RuleFigures? = nil
  ) {
    self.name = name
    self.verdict = verdict
    self.note = note
    self.counts = counts
    self.time = time
    self.figures = figures
  }
}

/// The figures by which a rule such as `A p50 <= 5 x B` was judged.
public struct RuleFigures: Sendable, Codable, Equatable {
  /// For a time compared with another cell's, the quotient of both. Otherwise the left value of the rule, in nanoseconds,
  /// bytes or as a plain number.
  public var value: Double
  /// The confidence interval of a time or of its quotient. Nil for counts, which are exact.
  public var low, high: Double?
  /// The number with which the value is compared: 5 in the example. For a count compared with another cell's, the
  /// product of the factor and that count.
  public var bound: Double

  public init(value: Double, low: Double? = nil, high: Double? = nil, bound: Double) {
    self.value = value
    self.low = low
    self.high = high
    self.bound = bound
  }
}
