import StorageContract

/// The results of the command `crashtest`, as in `safety.json`. Crash tests simulate faults, such as a power cut.
public struct SafetyReport: Sendable, Codable, Equatable {
  /// The version of the format of `safety.json`, see ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The time of the crash test, as ISO 8601 in UTC.
  public var created: String
  /// The seed of the random numbers by which the crash test chose its test cases.
  public var seed: UInt64
  /// The machine's kernel, and the file system of the tested stores.
  public var place: String

  /// The crash test result of one backend and durability, for one kind of fault (a simulated failure).
  public struct FaultResult: Sendable, Codable, Equatable {
    /// The backend with its options, such as `sqlite:journal=delete`.
    public var backend: String
    /// The durability that the crash test requested, such as `durable`.
    public var durability: Durability
    /// The safety level that the backend promises with the requested durability: what survives a crash or a power cut.
    public var level: Level
    /// The engine's name and version; empty if unknown.
    public var engine: String
    /// The store's settings as the engine names them, such as `journal_mode=wal`; empty if unknown.
    public var settings: String
    /// The kind of fault (a simulated failure), such as `kill`, `enospc`, `eio`, `fsync` or `power`.
    public var fault: String
    /// The name of a group of crash-test cases, such as `at random times`. Empty if the fault has only one group.
    public var variant: String
    /// The number of crash-test cases that were run.
    public var cases: Int
    /// The number of disk states that the simulated power cuts could have left. Nil if the number was not computed.
    public var possible: Double?
    /// The duration of all crash-test cases with this kind of fault, in seconds. Only the first result for a kind of
    /// fault has this number.
    public var seconds: Double?
    /// The number of crash-test cases in which the store had exactly the required content after the simulated failure.
    public var kept: Int
    /// The number of crash-test cases with a loss that the safety level allows, or with a damaged file that the store
    /// reported.
    public var lostWithinPromise: Int
    /// The number of crash-test cases in which saves were lost, although the safety level protects them.
    public var lostAgainstPromise: Int
    /// The number of crash-test cases in which the store was unreadable, or held content that no successful save had
    /// written.
    public var torn: Int
    /// The number of crash-test cases in which nothing was lost, but the store accepted no more saves or threw an
    /// unexpected error.
    public var refused: Int
    /// The number of crash-test cases with wrong data, or with a save acknowledged although a sync had failed.
    public var unnoticed: Int
    /// The number of crash-test cases in which the process that used the store crashed or hung.
    public var crashed: Int
    /// The number of crash-test cases in which the backend broke the promise of its safety level.
    public var broken: Int
    /// A remark for readers, such as the reason why this kind of fault was not tested. May be empty.
    public var note = ""
    /// The failed crash-test cases, each with the fewest operations that reproduce the failure.
    public var failures: [Failure] = []

    private enum CodingKeys: String, CodingKey {
      case backend, durability, level, engine, settings, fault, variant, cases, possible, seconds, kept
      case lostWithinPromise = "lost_within_promise"
      case lostAgainstPromise = "lost_against_promise"
      case torn, refused, unnoticed, crashed, broken, note, failures
    }

    /// Creates the crash test result for one kind of fault. The numbers of crash-test cases with each outcome are 0 by
    /// default.
    public init(
      backend: String, durability: Durability, level: Level, engine: String = "", settings: String = "", fault: String,
      variant: String = "", cases: Int, kept: Int = 0, lostWithinPromise: Int = 0, lostAgainstPromise: Int = 0,
      torn: Int = 0, refused: Int = 0, unnoticed: Int = 0, crashed: Int = 0, broken: Int = 0
    ) {
      self.backend = backend
      self.durability = durability
      self.level = level
      self.engine = engine
      self.settings = settings
      self.fault = fault
      self.variant = variant
      self.cases = cases
      self.kept = kept
      self.lostWithinPromise = lostWithinPromise
      self.lostAgainstPromise = lostAgainstPromise
      self.torn = torn
      self.refused = refused
      self.unnoticed = unnoticed
      self.crashed = crashed
      self.broken = broken
    }
  }

  /// One failed crash-test case, with the details to repeat it.
  public struct Failure: Sendable, Codable, Equatable {
    /// The name of the failed crash-test case, as in `crashtest --only NAME`.
    public var name: String
    /// The explanation of the failure, one sentence per line: saves, failed call, expected and found content.
    public var story: [String]
    /// The system calls of two processes that share a store, with one column per process. Nil except for the fault
    /// `schedule`.
    public var columns: [String]?
    /// The command that repeats the failed crash-test case.
    public var command: String

    /// The path of a file with which `crashtest --only` repeats the failed crash-test case exactly. Nil if no such file
    /// was written.
    public var replay: String?

    /// Creates the record of a failed crash-test case.
    public init(name: String, story: [String], columns: [String]? = nil, command: String, replay: String? = nil) {
      self.name = name
      self.story = story
      self.columns = columns
      self.command = command
      self.replay = replay
    }
  }

  /// The results of the crash test, ordered by backend.
  public var findings: [FaultResult]

  /// Creates the report of a crash test.
  public init(created: String, seed: UInt64, place: String, findings: [FaultResult]) {
    self.created = created
    self.seed = seed
    self.place = place
    self.findings = findings
  }
}
