import StorageContract
import StorageRunFiles
import StorageStatistics

/// What was found when two things were held against each other: a build against committed counts, a run against
/// another or against rules, two builds or backends pair by pair.
///
/// It is what every output of a comparison is written from, and `comparison.json` is its encoding.
public struct Comparison: Sendable, Codable, Equatable {
  /// What was compared.
  public enum Subject: String, Sendable, Codable {
    /// This build with the counts of a `costs.csv`.
    case costs
    /// A run with the rules of a YAML file.
    case rules
    /// A run with another run.
    case runs
    /// Two executables, or two backends or option sets, pair by pair.
    case pairs
    /// A thing with itself, to find the smallest change that is detectable on this machine.
    case noise
  }

  /// One of the two sides.
  public struct Side: Sendable, Codable, Equatable {
    /// A path, a revision or a backend, as the user named it.
    public var name: String
    /// See `MachineEnvironment.machine`; nil where it is no machine's.
    public var machine: String?

    /// Creates a side.
    public init(name: String, machine: String? = nil) {
      self.name = name
      self.machine = machine
    }
  }

  /// See `schemaVersion`.
  public var schema: Int = schemaVersion
  /// What was compared.
  public var subject: Subject
  /// What was there before.
  public var base: Side
  /// What is judged.
  public var head: Side
  /// What was found, in the order of the plan, or of the file.
  public var judgements: [Judgement]
  /// How times were judged; nil where they were not.
  public var method: PairedMethod?
  /// What makes the findings doubtful, or is to be done; whole sentences.
  public var notes: [String]

  /// Creates a comparison.
  public init(
    subject: Subject, base: Side, head: Side, judgements: [Judgement], method: PairedMethod? = nil,
    notes: [String] = []
  ) {
    self.subject = subject
    self.base = base
    self.head = head
    self.judgements = judgements
    self.method = method
    self.notes = notes
  }

  /// Judgements with a verdict.
  public func judgements(_ verdict: ChangeVerdict) -> [Judgement] { judgements.filter { $0.verdict == verdict } }

  /// Judgements that a gate makes the same of.
  public func judgements(_ result: GateResult) -> [Judgement] { judgements.filter { $0.verdict.result == result } }

  /// What could not be judged though it could be run, in a sentence: whether it is a warning only, or too much; nil
  /// where everything was judged, or has to be.
  public var missing: String? {
    guard subject != .noise, let coverage = method?.coverage, coverage.judged < coverage.cells else { return nil }
    let words = "\(coverage.judged) of \(coverage.cells) cells could be judged"
    if coverage.isEnough { return "\(words); the rest is a warning." }
    let names = coverage.judged == 0 ? "" : coverage.unjudged.joined(separator: ", ")
    let groups = names.isEmpty ? "" : ", none of \(names)"
    return "Only \(words)\(groups): a gate needs \(Coverage.leastPercent) %, and some of every backend and workload."
  }

  /// What a gate makes of it all.
  public var result: GateResult { GateResult(of: judgements.map(\.verdict), coverage: method?.coverage) }
}

/// How times were compared, for whoever reads the verdicts.
public struct PairedMethod: Sendable, Codable, Equatable {
  /// Rounds of a stage for cells that do not sync in every operation, and for those that do.
  public var rounds: Int
  /// See ``rounds``.
  public var syncingRounds: Int
  /// Nanoseconds that a trial's timed part aimed at.
  public var trialTime: Int64
  /// Base against base: the cells that were also compared with themselves.
  public var control: [Judgement]
  /// Why the machine was not quiet enough for times to be judged as usual, or nil.
  public var unfit: String?
  /// On an unfit machine: the factor beyond which a whole interval must lie to be judged, see `NoiseBound`; nil on a fit
  /// one, and where it is not known, so that no time is judged.
  public var bound: Double?
  /// How much could be judged.
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

/// What was found for one cell, or for one rule.
public struct Judgement: Sendable, Codable, Equatable {
  /// The cell's name, or the rule's text.
  public var name: String
  /// What is said of the head.
  public var verdict: ChangeVerdict
  /// The reason, or empty where the changes say it all.
  public var note: String
  /// What was counted on both sides.
  public var counts: [CountChange]
  /// What was timed on both sides; nil where nothing was.
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
