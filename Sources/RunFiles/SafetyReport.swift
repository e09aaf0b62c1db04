import StorageContract

/// The results of `crashtest`: `safety.json`.
public struct SafetyReport: Sendable, Codable, Equatable {
  /// See ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The time of the test, as ISO 8601 in UTC. The newest of several reports counts.
  public var created: String
  /// The seed of the cases.
  public var seed: UInt64
  /// The location of the stores: the kernel and the file system.
  public var place: String

  /// The result for a backend at a level under one kind of fault.
  public struct FaultResult: Sendable, Codable, Equatable {
    /// The backend with its options, `sqlite:journal=delete`.
    public var backend: String
    /// The requested durability.
    public var durability: Durability
    /// The level of the row.
    public var level: Level
    /// The engine's version, or empty.
    public var engine: String
    /// The engine's literal settings, or empty.
    public var settings: String
    /// `kill`, `enospc`, `eio`, `eintr`, `short-write`, `fsync`, `power`, `damage`.
    public var fault: String
    /// The difference from other cases of the same fault, or empty: `at random times`, or the model of a disk.
    public var variant: String
    /// The number of cases tried. Each counts in one of the seven verdicts below.
    public var cases: Int
    /// The number of different possible cases, if it is known and more than can be tried: the states that a power cut
    /// may leave.
    public var possible: Double?
    /// The duration of all variants of the fault together, in seconds. Only the first variant has it.
    public var seconds: Double?
    /// Cases in which the store had the required content.
    public var kept: Int
    /// Cases in which saves were lost, as the level allows.
    public var lostWithinPromise: Int
    /// Cases in which saves were lost that the level protects.
    public var lostAgainstPromise: Int
    /// Cases in which the store held part of a save, or content that was never saved.
    public var torn: Int
    /// Cases in which nothing was lost, but an error was not a `StoreError`, or the store accepted no more saves.
    public var refused: Int
    /// Cases in which data was wrong without an error.
    public var unnoticed: Int
    /// Cases in which the process died by itself or hung.
    public var crashed: Int
    /// Cases of any kind above that break the promise.
    public var broken: Int
    /// A remark, or the reason that nothing was tried; may be empty.
    public var note: String
    /// The failures, each shrunk to the shortest sequence that reproduces it.
    public var failures: [Failure]

    private enum CodingKeys: String, CodingKey {
      case backend, durability, level, engine, settings, fault, variant, cases, possible, seconds, kept
      case lostWithinPromise = "lost_within_promise"
      case lostAgainstPromise = "lost_against_promise"
      case torn, refused, unnoticed, crashed, broken, note, failures
    }

    /// Creates a result. All counts default to 0.
    public init(
      backend: String, durability: Durability, level: Level, engine: String = "", settings: String = "", fault: String,
      variant: String = "", cases: Int, kept: Int = 0, lostWithinPromise: Int = 0, lostAgainstPromise: Int = 0,
      torn: Int = 0, refused: Int = 0, unnoticed: Int = 0, crashed: Int = 0, broken: Int = 0, note: String = "",
      failures: [Failure] = []
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
      self.note = note
      self.failures = failures
    }
  }

  /// One failure, with the details needed to repeat it.
  public struct Failure: Sendable, Codable, Equatable {
    /// The argument of `--only`.
    public var name: String
    /// The explanation, one sentence per line: the saves, the call, the expected and the found content.
    public var story: [String]
    /// The command that repeats it.
    public var command: String

    /// The file from which `--only` repeats the case byte for byte; nil if the name is enough.
    public var replay: String?

    /// Creates a failure.
    public init(name: String, story: [String], command: String, replay: String? = nil) {
      self.name = name
      self.story = story
      self.command = command
      self.replay = replay
    }
  }

  /// The results, backend by backend.
  public var findings: [FaultResult]

  /// Creates a report.
  public init(created: String, seed: UInt64, place: String, findings: [FaultResult]) {
    self.created = created
    self.seed = seed
    self.place = place
    self.findings = findings
  }
}
