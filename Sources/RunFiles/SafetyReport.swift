import StorageContract

/// The results of the command `crashtest`, as in `safety.json`. Its fault tests inject failures, such as a power cut,
/// and check the store afterwards.
public struct SafetyReport: Sendable, Codable, Equatable {
  /// The version of the format of `safety.json`, see ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The time of the test, as ISO 8601 in UTC. Of several reports, the newest counts.
  public var created: String
  /// The seed of the random test cases.
  public var seed: UInt64
  /// The machine's kernel, and the file system of the tested stores.
  public var place: String

  /// The result of the fault tests of one backend, at one durability level, for one kind of fault (an injected failure,
  /// such as a power cut).
  public struct FaultResult: Sendable, Codable, Equatable {
    /// The backend with its options, such as `sqlite:journal=delete`.
    public var backend: String
    /// The durability setting that the test requested.
    public var durability: Durability
    /// The durability level that the backend claims to fulfill: what survives a crash or a power cut.
    public var level: Level
    /// The engine's name and version; empty if unknown.
    public var engine: String
    /// The store's settings as the engine names them, such as `journal_mode=wal`; empty if unknown.
    public var settings: String
    /// The kind of fault (an injected failure): `kill`, `enospc`, `eio`, `eintr`, `short-write`, `fsync`, `power`,
    /// `damage`, `memory`, `schedule`.
    public var fault: String
    /// The name of a group of test cases of the same fault: for example `at random times`, or the name of a disk model.
    /// Empty if the fault has only one group.
    public var variant: String
    /// The number of test cases tried. Each case has one of seven verdicts, which the properties from ``kept`` to
    /// ``crashed`` count.
    public var cases: Int
    /// The number of different cases that the test could try, such as the states that a power cut may leave. Nil if the
    /// number is unknown, or if all cases were tried.
    public var possible: Double?
    /// The duration of this fault's tests in seconds. If the fault has several variants, the result for the first
    /// ``variant`` has the duration of all variants. The results for the other variants have nil.
    public var seconds: Double?
    /// The number of test cases in which the store had exactly the required content after the fault.
    public var kept: Int
    /// The number of test cases in which the fault lost saves whose loss the durability level allows.
    public var lostWithinPromise: Int
    /// The number of test cases in which the fault lost saves that the durability level should have protected.
    public var lostAgainstPromise: Int
    /// The number of test cases in which the store held a part of a save after the fault, or content that was never
    /// saved.
    public var torn: Int
    /// The number of test cases without lost saves in which the backend refused to go on. It accepted no more saves, or
    /// threw an error other than a `StoreError`.
    public var refused: Int
    /// The number of test cases in which a read returned wrong data without an error.
    public var unnoticed: Int
    /// The number of test cases in which the process that used the store died by itself or hung.
    public var crashed: Int
    /// The number of test cases with a verdict that violates the guarantee of the durability level.
    public var broken: Int
    /// A remark for readers, or the reason why nothing was tried; may be empty.
    public var note: String
    /// The failed cases, each reduced to the shortest sequence of operations that reproduces the failure.
    public var failures: [Failure]

    private enum CodingKeys: String, CodingKey {
      case backend, durability, level, engine, settings, fault, variant, cases, possible, seconds, kept
      case lostWithinPromise = "lost_within_promise"
      case lostAgainstPromise = "lost_against_promise"
      case torn, refused, unnoticed, crashed, broken, note, failures
    }

    /// Creates the result for one kind of fault. Each count of a verdict is 0 by default.
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

  /// One failed case of a fault test, with the details to repeat it.
  public struct Failure: Sendable, Codable, Equatable {
    /// The name of the failed case, which `crashtest --only` accepts.
    public var name: String
    /// The explanation of the failure, one sentence per line: saves, failed call, expected and found content.
    public var story: [String]
    /// The calls of two processes, in two columns, if the fault is `schedule`. In this fault, two processes use the
    /// store in turns. Nil for other faults.
    public var columns: [String]?
    /// The command that repeats the case.
    public var command: String

    /// The file from which `crashtest --only` repeats the case byte for byte; nil if the name of the case suffices.
    public var replay: String?

    /// Creates the record of a failed case.
    public init(name: String, story: [String], columns: [String]? = nil, command: String, replay: String? = nil) {
      self.name = name
      self.story = story
      self.columns = columns
      self.command = command
      self.replay = replay
    }
  }

  /// The results of all fault tests, ordered by backend.
  public var findings: [FaultResult]

  /// Creates a report of fault tests.
  public init(created: String, seed: UInt64, place: String, findings: [FaultResult]) {
    self.created = created
    self.seed = seed
    self.place = place
    self.findings = findings
  }
}
