import StorageContract
import StorageRunFiles
import StorageStatistics

/// The result of a comparison: a build against committed counts, a run against another or against rules, two builds or
/// backends pair by pair.
///
/// Every output of a comparison is written from this type, and `comparison.json` is its encoding.
public struct Comparison: Sendable, Codable, Equatable {
  /// The kind of comparison.
  public enum Subject: String, Sendable, Codable {
    /// This build against the counts of a `costs.csv`.
    case costs
    /// A run against the rules of a YAML file.
    case rules
    /// A run against another run.
    case runs
    /// Two executables, or two backends or option sets, pair by pair.
    case pairs
    /// One executable or backend against itself, to find the smallest change that is detectable on this machine.
    case noise
  }

  /// One of the two sides of a comparison.
  public struct Side: Sendable, Codable, Equatable {
    /// The name of the side: a path, a revision or a backend, as the user named it.
    public var name: String
    /// The machine that measured the side, see `MachineEnvironment.machine`. Nil if the side has no machine.
    public var machine: String?

    /// Creates a side.
    public init(name: String, machine: String? = nil) {
      self.name = name
      self.machine = machine
    }
  }

  /// The schema version of `comparison.json`.
  public var schema: Int = schemaVersion
  /// The kind of comparison.
  public var subject: Subject
  /// The side before the change.
  public var base: Side
  /// The side that is judged.
  public var head: Side
  /// The judgements, in the order of the plan or of the file of counts or rules.
  public var judgements: [Judgement]
  /// The colour and shape of each backend in charts, by its name with options. Nil if there are no charts.
  public var looks: [String: Appearance]?
  /// The method by which times were judged. Nil if no times were judged.
  public var method: PairedMethod?
  /// Reasons to doubt the result and steps to take, in whole sentences.
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

  /// Returns the judgements that have a verdict.
  public func judgements(_ verdict: ChangeVerdict) -> [Judgement] { judgements.filter { $0.verdict == verdict } }

  /// Returns the judgements that have a gate result.
  public func judgements(_ result: GateResult) -> [Judgement] { judgements.filter { $0.verdict.result == result } }

  /// A sentence on the cells that ran but could not be judged. They are a warning, or too many for the gate. Nil if
  /// everything was judged, or if times are not judged.
  public var missing: String? {
    guard subject != .noise, let coverage = method?.coverage, coverage.judged < coverage.cells else { return nil }
    let words = "\(coverage.judged) of \(coverage.cells) cells could be judged"
    if coverage.isEnough { return "\(words); the rest is a warning." }
    let names = coverage.judged == 0 ? "" : coverage.unjudged.joined(separator: ", ")
    let groups = names.isEmpty ? "" : ", none of \(names)"
    return "Only \(words)\(groups): a gate needs \(Coverage.leastPercent) %, and some of every backend and workload."
  }

  /// The gate result of all judgements together.
  public var result: GateResult { GateResult(of: judgements.map(\.verdict), coverage: method?.coverage) }
}

/// The method by which times were compared.
public struct PairedMethod: Sendable, Codable, Equatable {
  /// The number of rounds of a stage, for cells that do not sync in every operation.
  public var rounds: Int
  /// The number of rounds of a stage, for cells that sync in every operation.
  public var syncingRounds: Int
  /// The target length of a trial's timed part, in nanoseconds.
  public var trialTime: Int64
  /// The control measurement: judgements of the cells whose base was also compared with itself.
  public var control: [Judgement]
  /// The reason why the machine was not quiet enough to judge times as usual, or nil.
  public var unfit: String?
  /// The factor beyond which a whole interval must lie for a verdict on an unfit machine, see `NoiseBound`. Nil on a
  /// fit machine. Also nil if the factor is unknown, and then no time is judged.
  public var bound: Double?
  /// The share of the comparison that could be judged.
  public var coverage: Coverage?

  /// Creates a method.
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

/// The judgement of one cell, or of one rule.
public struct Judgement: Sendable, Codable, Equatable {
  /// The cell's name, or the rule's text.
  public var name: String
  /// The verdict on the head, which is the side after the change.
  public var verdict: ChangeVerdict
  /// The reason for the verdict. Empty if the changes of counts and times explain it.
  public var note: String
  /// The counts of base and head.
  public var counts: [CountChange]
  /// The times of base and head. Nil if nothing was timed.
  public var time: TimeChange?

  /// Creates a judgement.
  public init(
    name: String, verdict: ChangeVerdict, note: String = "", counts: [CountChange] = [], time: TimeChange? = nil
  ) {
    self.name = name
    self.verdict = verdict
    self.note = note
    self.counts = counts
    self.time = time
  }
}
