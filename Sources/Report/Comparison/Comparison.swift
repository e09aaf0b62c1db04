import StorageContract
import StorageRunFiles
import StorageStatistics

/// A comparison of benchmark results, such as of two runs or of two builds.
///
/// The file `comparison.json` is the JSON encoding of this type.
public struct Comparison: Sendable, Codable, Equatable {
  /// The kind of comparison, such as `runs` for a comparison of two runs.
  public enum Subject: String, Sendable, Codable {
    /// A comparison of counts, such as bytes written, with the counts in the file `costs.csv`.
    case costs
    /// A check of a run against rules. For example, the rule `A p50 <= 5 x B` limits A's median time to five times B's.
    case rules
    /// A comparison of a run with an earlier run.
    case runs
    /// A comparison of two executables, backends or sets of options, which are measured alternately.
    case pairs
    /// A comparison of an executable or backend with itself, to find the smallest change detectable on this machine.
    case noise
  }

  /// One of the two sides of a comparison, such as a build or a run.
  public struct Side: Sendable, Codable, Equatable {
    /// The name of this side of the comparison, such as a path or a Git revision.
    public var name: String
    /// A short hash of the machine on which this build or run was measured. Nil if this side is a file, such as of
    /// rules.
    public var machine: String?

    /// Creates one side of a comparison, such as the old or the new build.
    public init(name: String, machine: String? = nil) {
      self.name = name
      self.machine = machine
    }
  }

  /// The version of the format of `comparison.json`.
  public var schema: Int = schemaVersion
  /// The kind of comparison, such as `runs` for a comparison of two runs.
  public var subject: Subject
  /// The old side of the comparison, such as the build before a change, or the file of expected counts or rules.
  public var base: Side
  /// The new side of the comparison, such as the build after a change.
  public var head: Side
  /// The judgements, one for each compared benchmark or checked rule, in the order of the plan or of the file.
  public var judgements: [Judgement]
  /// The appearance of each backend in charts, by name with options, such as `sqlite:journal=wal`. Nil if unknown.
  public var looks: [String: Appearance]?
  /// The method of comparing times in pairs of processes. Nil without such pairs.
  public var method: PairedMethod?
  /// Notes for the reader in whole sentences, such as reasons to doubt the result.
  public var notes: [String]

  /// Creates a comparison of an old side (`base`) with a new side (`head`), such as of two builds.
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

  /// Returns the judgements with the given verdict, such as `slower`.
  public func judgements(_ verdict: ChangeVerdict) -> [Judgement] { judgements.filter { $0.verdict == verdict } }

  /// Returns the judgements with the given result for a CI check, such as `regression`.
  public func judgements(_ result: GateResult) -> [Judgement] { judgements.filter { $0.verdict.result == result } }

  /// A sentence on benchmarks that could not be judged: `52 of 56 cells could be judged; ...`. Nil if there is nothing
  /// to report.
  public var missing: String? {
    guard subject != .noise, let coverage = method?.coverage, coverage.judged < coverage.cells else { return nil }
    let words = "\(coverage.judged) of \(coverage.cells) cells could be judged"
    if coverage.isEnough { return "\(words); the rest is a warning." }
    let isAny = coverage.judged > 0 && !coverage.unjudged.isEmpty
    let groups = isAny ? ", none of \(coverage.unjudged.joined(separator: ", "))" : ""
    return "Only \(words)\(groups): a gate needs \(Coverage.leastPercent) %, and some of every backend and workload."
  }

  /// The result of the whole comparison for a CI check, such as `regression`.
  public var result: GateResult { GateResult(of: judgements.map(\.verdict), coverage: method?.coverage) }
}

/// The method of comparing times in pairs of processes: one process for the old side, one for the new side.
public struct PairedMethod: Sendable, Codable, Equatable {
  /// The planned number of rounds of a benchmark without syncs. A round is one process of the old and one of the new
  /// side of the comparison.
  public var rounds: Int
  /// The planned number of rounds of a benchmark with syncs. A round is one process of the old and one of the new side
  /// of the comparison.
  public var syncingRounds: Int
  /// The planned duration of the measurement in one process, in nanoseconds.
  public var trialTime: Int64
  /// The judgements from comparing the old build with itself, as a check. A change between equal builds is a false
  /// alarm.
  public var control: [Judgement]
  /// The reason why the machine counts as noisy. Nil if the machine was quiet.
  public var unfit: String?
  /// The factor, such as 1.3, that a time change must exceed on a noisy machine; see `NoiseBound`. Nil on a quiet
  /// machine, or if the noise is unknown.
  public var bound: Double?
  /// The number of benchmarks that could be judged, out of all benchmarks. Nil if unknown.
  public var coverage: Coverage?

  /// Creates a description of the method of comparing times in pairs of processes.
  public init(
    rounds: Int, syncingRounds: Int, trialTime: Int64, control: [Judgement] = [], unfit: String? = nil,
    coverage: Coverage? = nil
  ) {
    self.rounds = rounds
    self.syncingRounds = syncingRounds
    self.trialTime = trialTime
    self.control = control
    self.unfit = unfit
    self.coverage = coverage
  }
}

/// The judgement of one benchmark, such as `slower` than in the old build, or of one rule, such as `A p50 <= 5 x B`.
public struct Judgement: Sendable, Codable, Equatable {
  /// The name of the judged benchmark, such as `sqlite/save-one/100/shipped`, or the text of the judged rule.
  public var name: String
  /// The verdict on the new side of the comparison, such as `slower`.
  public var verdict: ChangeVerdict
  /// An explanation of the verdict, or an empty text.
  public var note: String
  /// The changes of counts, such as bytes written, from the old to the new side of the comparison.
  public var counts: [CountChange]
  /// The change of an operation's time from the old to the new side of the comparison. Nil if nothing was timed.
  public var time: TimeChange?
  /// The value and the limit that decide whether a rule such as `A p50 <= 5 x B` is kept. Nil if no rule was judged.
  public var figures: RuleFigures?

  /// Creates a judgement. The changes of a benchmark are in `counts` and `time`. The values of a rule such as
  /// `A p50 <= 5 x B` are in `figures`.
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

/// The numbers that decide the verdict on a rule such as `A p50 <= 5 x B`: A's median time is at most five times B's.
public struct RuleFigures: Sendable, Codable, Equatable {
  /// The value that a rule limits: nanoseconds, bytes or a plain number. For `A p50 <= 5 x B`, the value is A's median
  /// time divided by B's.
  public var value: Double
  /// The lower and upper end of the confidence interval of ``value``. Nil for an exact count, such as of syncs.
  public var low, high: Double?
  /// The limit for ``value``: 5 for the rule `A p50 <= 5 x B`. If a rule compares counts instead of times, the limit is
  /// 5 times B's count.
  public var bound: Double

  public init(value: Double, low: Double? = nil, high: Double? = nil, bound: Double) {
    self.value = value
    self.low = low
    self.high = high
    self.bound = bound
  }
}
