import StorageContract
import StorageRunFiles

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
    /// A thing with itself, to learn what this machine can tell apart.
    case noise
  }

  /// One of the two sides.
  public struct Side: Sendable, Codable, Equatable {
    /// A path, a revision or a backend, as the user named it.
    public var name: String
    /// See ``MachineEnvironment/machine``; nil where it is no machine's.
    public var machine: String?

    /// Creates a side.
    public init(name: String, machine: String? = nil) {
      self.name = name
      self.machine = machine
    }
  }

  /// See ``schemaVersion``.
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
  public func judgements(_ verdict: Judgement.Verdict) -> [Judgement] { judgements.filter { $0.verdict == verdict } }

  /// Judgements with an outcome.
  public func judgements(_ outcome: Judgement.Outcome) -> [Judgement] {
    judgements.filter { $0.verdict.outcome == outcome }
  }
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
  /// Why no time could be judged on this machine, or nil.
  public var unfit: String?

  /// Creates a method.
  public init(
    rounds: Int, syncingRounds: Int, trialTime: Int64, control: [Judgement] = [], unfit: String? = nil
  ) {
    self.rounds = rounds
    self.syncingRounds = syncingRounds
    self.trialTime = trialTime
    self.control = control
    self.unfit = unfit
  }
}

/// What was found for one cell, or for one rule.
public struct Judgement: Sendable, Codable, Equatable {
  /// What the comparison says of the head.
  public enum Verdict: String, Sendable, Codable, CaseIterable {
    /// It crashed, ran over its limit, or returned something wrong.
    case failed
    /// It takes longer; confirmed by a second series.
    case slower
    /// It writes, syncs or allocates more.
    case more
    /// It does not keep to a rule.
    case broken
    /// It cannot be said on this machine, or with these engines.
    case unmeasurable
    /// It takes less time; confirmed by a second series.
    case faster
    /// It writes, syncs or allocates less.
    case fewer
    /// Nothing worth speaking of has changed.
    case same
    /// It keeps to a rule.
    case holds
    /// It cannot be run, before as now.
    case notAvailable = "n/a"

    /// What follows from the verdict.
    public var outcome: Outcome {
      switch self {
      case .failed: .failure
      case .slower, .more, .broken: .regression
      case .unmeasurable: .unjudged
      case .faster, .fewer: .improvement
      case .same, .holds, .notAvailable: .fine
      }
    }

    /// The worse of two: the one that says more against the head, else the one that says more.
    public func worse(_ other: Verdict) -> Verdict {
      let order = Self.allCases
      return (order.firstIndex(of: self) ?? 0) <= (order.firstIndex(of: other) ?? 0) ? self : other
    }
  }

  /// What a gate makes of a verdict.
  public enum Outcome: Sendable {
    case failure, regression, unjudged, improvement, fine
  }

  /// The cell's name, or the rule's text.
  public var name: String
  /// See ``Verdict``.
  public var verdict: Verdict
  /// The reason, or empty where the changes say it all.
  public var note: String
  /// What was counted on both sides.
  public var counts: [CountChange]
  /// What was timed on both sides; nil where nothing was.
  public var time: TimeChange?

  /// Creates a judgement.
  public init(
    name: String, verdict: Verdict, note: String = "", counts: [CountChange] = [], time: TimeChange? = nil
  ) {
    self.name = name
    self.verdict = verdict
    self.note = note
    self.counts = counts
    self.time = time
  }
}
