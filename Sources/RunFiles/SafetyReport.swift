import StorageContract

/// What `crashtest` found: `safety.json`.
public struct SafetyReport: Sendable, Codable, Equatable {
  /// See ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// When it was made, as ISO 8601 in UTC: of several records the newest counts.
  public var created: String
  /// What the cases were drawn by.
  public var seed: UInt64
  /// Where the stores lay: the kernel, the file system.
  public var place: String

  /// A backend at a level under one kind of fault.
  public struct FaultResult: Sendable, Codable, Equatable {
    /// The backend with its options, `sqlite:journal=delete`.
    public var backend: String
    /// What was asked.
    public var durability: Durability
    /// The level that the row has.
    public var level: Level
    /// The engine's version, or empty.
    public var engine: String
    /// The engine's literal settings, or empty.
    public var settings: String
    /// `kill`, `enospc`, `eio`, `eintr`, `short-write`, `fsync`, `power`, `damage`.
    public var fault: String
    /// What sets these cases apart from others of the same fault, or empty: `at random times`, or the model of a disk.
    public var variant: String
    /// How many cases were tried; each is one of the seven below.
    public var cases: Int
    /// How many different cases there may be, where that is known and more than can be tried: what a power cut may
    /// leave.
    public var possible: Double?
    /// How long they took together with the other variants of the fault, in seconds; with the first one of them.
    public var seconds: Double?
    /// The store had what it must have.
    public var kept: Int
    /// Saves were lost, which the level allows.
    public var lostWithinPromise: Int
    /// Saves were lost that the level keeps.
    public var lostAgainstPromise: Int
    /// The store held half a save, or what was never saved.
    public var torn: Int
    /// Nothing was gone, but an error was no `StoreError`, or the store took no more saves.
    public var refused: Int
    /// Something was wrong and nobody was told.
    public var unnoticed: Int
    /// The process died by itself, or hung.
    public var crashed: Int
    /// Cases of any of these kinds that break the promise.
    public var broken: Int
    /// What is remarkable, or why nothing was tried; or empty.
    public var note: String
    /// The failures, each shrunk to the shortest sequence that shows it.
    public var failures: [Failure]

    private enum CodingKeys: String, CodingKey {
      case backend, durability, level, engine, settings, fault, variant, cases, possible, seconds, kept
      case lostWithinPromise = "lost_within_promise"
      case lostAgainstPromise = "lost_against_promise"
      case torn, refused, unnoticed, crashed, broken, note, failures
    }

    /// Creates a result, of which nothing was found unless said otherwise.
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

  /// One failure, told so that it can be repeated.
  public struct Failure: Sendable, Codable, Equatable {
    /// What `--only` takes.
    public var name: String
    /// What happened, a sentence a line: the saves, the call, what was expected, what was found.
    public var story: [String]
    /// The command that repeats it.
    public var command: String

    /// The file from which `--only` makes it again byte for byte; nil where the name is enough.
    public var replay: String?

    /// Creates a failure.
    public init(name: String, story: [String], command: String, replay: String? = nil) {
      self.name = name
      self.story = story
      self.command = command
      self.replay = replay
    }
  }

  /// What was found, backend by backend.
  public var findings: [FaultResult]

  /// Creates a report.
  public init(created: String, seed: UInt64, place: String, findings: [FaultResult]) {
    self.created = created
    self.seed = seed
    self.place = place
    self.findings = findings
  }
}
