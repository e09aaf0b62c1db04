import StorageContract
import StorageRunFiles
import StorageStatistics

/// A comparison and its result. A run is compared with committed counts (`costs.csv`), with rules, or with another run.
/// Two builds or backends are compared with each other in pairs of processes.
///
/// All output of a comparison is written from this type, and `comparison.json` is its encoding.
public struct Comparison: Sendable, Codable, Equatable {
  /// The kind of comparison, which follows from the two things that are compared.
  public enum Subject: String, Sendable, Codable {
    /// The counts of this build, such as bytes and syncs, are compared with the counts in a file `costs.csv`.
    case costs
    /// The results of a run are compared with the rules in a YAML file, such as `A p50 <= 5 x B`.
    case rules
    /// A run is compared with another run.
    case runs
    /// Two executables, two backends, or two sets of options are compared. They are measured alternately, in pairs of
    /// processes.
    case pairs
    /// One executable or backend is compared with itself, to find the smallest change that this machine can detect.
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
  /// The kind of comparison, such as two runs or a run and a set of rules.
  public var subject: Subject
  /// The side before the change, such as the older build.
  public var base: Side
  /// The side after the change, whose results are judged against the base.
  public var head: Side
  /// The judgements, one for each benchmark or rule. The order is that of the plan, or of the file of counts or rules.
  public var judgements: [Judgement]
  /// The colour and shape of each backend in charts, by its name with options. Nil if there are no charts.
  public var looks: [String: Appearance]?
  /// The method by which times were compared. Nil if no times were judged.
  public var method: PairedMethod?
  /// Whole sentences on reasons to doubt the result of the comparison, and on steps to take.
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

  /// Returns the judgements with a verdict such as `slower`, which says how the head (new side) differs from the base
  /// (old side).
  public func judgements(_ verdict: ChangeVerdict) -> [Judgement] { judgements.filter { $0.verdict == verdict } }

  /// Returns the judgements with a given effect on a CI check (gate), such as a regression.
  public func judgements(_ result: GateResult) -> [Judgement] { judgements.filter { $0.verdict.result == result } }

  /// A sentence on the benchmarks that ran but could not be judged. Few of them are a warning, many fail the CI check.
  /// Nil if all benchmarks were judged, or if times are not judged.
  public var missing: String? {
    guard subject != .noise, let coverage = method?.coverage, coverage.judged < coverage.cells else { return nil }
    let words = "\(coverage.judged) of \(coverage.cells) cells could be judged"
    if coverage.isEnough { return "\(words); the rest is a warning." }
    let names = coverage.judged == 0 ? "" : coverage.unjudged.joined(separator: ", ")
    let groups = names.isEmpty ? "" : ", none of \(names)"
    return "Only \(words)\(groups): a gate needs \(Coverage.leastPercent) %, and some of every backend and workload."
  }

  /// The result for a CI check (gate), such as a regression, from all judgements together.
  public var result: GateResult { GateResult(of: judgements.map(\.verdict), coverage: method?.coverage) }
}

/// The method by which the times of two builds or backends were compared in pairs.
public struct PairedMethod: Sendable, Codable, Equatable {
  /// The number of pairs of processes for each benchmark that does not sync in every operation. One process of a pair
  /// runs the base (old side), the other the head (new side).
  public var rounds: Int
  /// The number of pairs of processes for each benchmark that syncs in every operation. One process of a pair runs the
  /// base (old side), the other the head (new side).
  public var syncingRounds: Int
  /// The intended duration of the timed part of each process, in nanoseconds.
  public var trialTime: Int64
  /// The judgements of a control, which compares the base (old side) with itself for some benchmarks. A change that is
  /// found there is a false alarm.
  public var control: [Judgement]
  /// The reason why the machine counts as not quiet, or nil if it was quiet. On such a machine, times are judged by
  /// ``bound`` or not at all.
  public var unfit: String?
  /// The factor that a change must exceed on a machine that was not quiet, see `NoiseBound`. The whole confidence
  /// interval must be beyond it. Nil if the machine was quiet, or too disturbed to judge any time.
  public var bound: Double?
  /// The number of benchmarks that could be judged, out of all. Nil if unknown.
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
  /// of rules, it is the text of the rule, such as `A p50 <= 5 x B`.
  public var name: String
  /// The verdict on the head (the side after the change), such as slower.
  public var verdict: ChangeVerdict
  /// The reason for the verdict. Empty if the verdict follows from the counts and times alone.
  public var note: String
  /// The counts before and after the change, such as bytes written and syncs.
  public var counts: [CountChange]
  /// The time before and after the change. Nil if nothing was timed.
  public var time: TimeChange?
  /// The figures by which a rule such as `A p50 <= 5 x B` was judged. Nil if a benchmark was judged, or if a rule could
  /// not be judged for lack of data.
  public var figures: RuleFigures?

  /// Creates a judgement of a benchmark or of a rule such as `A p50 <= 5 x B`.
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
  /// The value that the rule limits. If a time is compared with another benchmark's time, it is the quotient of both.
  /// Otherwise it is the left value of the rule, in nanoseconds, bytes or as a plain number.
  public var value: Double
  /// The ends of the confidence interval of a time or of a quotient of times. Nil for counts, which are exact.
  public var low, high: Double?
  /// The number with which ``value`` is compared: 5 in the rule `A p50 <= 5 x B`. For a count that is compared with
  /// another benchmark's count, it is the product of factor and count.
  public var bound: Double

  public init(value: Double, low: Double? = nil, high: Double? = nil, bound: Double) {
    self.value = value
    self.low = low
    self.high = high
    self.bound = bound
  }
}
