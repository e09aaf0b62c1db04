import StorageContract

/// The purpose of a trial (a measuring process): to time operations, to count calls and bytes, or only to verify.
public enum Pass: String, Sendable, Codable {
  /// The trial (a measuring process) measures latency, throughput and CPU time. System calls, bytes and memory are
  /// counted in separate trials.
  case timed
  /// The trial (a measuring process) counts system calls, bytes and memory. Nothing is timed.
  case cost
  /// The trial (a measuring process) only runs operations and verifies their results. Nothing is timed or counted.
  case once
}

/// The result of one trial: a line of `trials.jsonl`. In a trial, a new process measures one benchmark.
public struct Trial: Sendable, Codable, Equatable {
  /// The version of the format of a line of `trials.jsonl`, see ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The combination of backend, workload and settings that the trial (a measuring process) ran.
  public var cell: Cell
  /// The hash of the machine on which the trial ran. Nil unless runs of several machines were merged.
  public var machine: String?
  /// The purpose of the trial (a measuring process), such as timing operations.
  public var pass: Pass
  /// The number of the round (repetition) in which the trial was timed, from 1. Nil for an untimed trial.
  public var round: Int?
  /// The position of the trial within its round (repetition), from 1. Nil for an untimed trial.
  public var position: Int?
  /// The time at which the measuring process started, in seconds since 1970. If the process waited for a start signal,
  /// the time of the signal counts.
  public var started: Double
  /// The duration of the measuring process in seconds, from ``started`` to the end of the process. The sum over all
  /// trials of a round (repetition) is the duration of the round.
  public var wall: Double
  /// The status of the trial (a measuring process). ``Status/skipped`` means that the trial was left out, for example
  /// because it would take too long.
  public var status: Status
  /// An explanation of the status for people, such as the error or the exceeded limit, or a remark on a successful
  /// trial (a measuring process). Programs should use other fields.
  public var note: String?
  /// Whether the benchmark is not timed in later rounds (repetitions), because an operation or opening the store takes
  /// very long.
  public var timedOnce = false
  /// Whether the trial (a measuring process) is longer because it replaces a trial with unsteady latencies. Nil means
  /// false.
  public var lengthened: Bool?
  /// Whether `run --resume` made the trial (a measuring process), after an interruption of the benchmark run.
  public var resumed = false
  /// Whether the store was in memory and not on disk, in a trial (a measuring process) that counts calls and bytes. Nil
  /// for other trials.
  public var inMemory: Bool?
  /// The settings of the store, as the engine reported them.
  public var settings: String?
  /// A hash of the first operations of the trial (a measuring process). Trials with equal hashes did the same
  /// operations.
  public var streamHash: String?
  /// The time of an operation in nanoseconds, as predicted from measurements with fewer records. Nil unless the
  /// measurement was left out.
  public var predicted: Double?
  /// The measured times of a trial (a measuring process); nil if it is not timed.
  public var timing: Timing?
  /// The counts of system calls and bytes from a trial (a measuring process). Nil for a timed trial. A trial that only
  /// verifies has just the number of operations and the ``Cost/digest``.
  public var cost: Cost?
  /// Additional values that the workload defines and measures; nil if the workload has none.
  public var findings: [Finding]?

  private enum CodingKeys: String, CodingKey {
    case schema, cell, machine, pass, round, position, started, wall, status, note, settings, resumed, lengthened
    case timedOnce = "timed_once"
    case inMemory = "in_memory"
    case streamHash = "stream_hash"
    case predicted = "predicted_ns"
    case timing, cost, findings
  }

  /// Creates the result of a trial (a measuring process).
  public init(
    cell: Cell, pass: Pass, round: Int? = nil, position: Int? = nil, started: Double, wall: Double,
    status: Status, note: String? = nil, timedOnce: Bool = false, settings: String? = nil, streamHash: String? = nil,
    predicted: Double? = nil, timing: Timing? = nil, cost: Cost? = nil
  ) {
    self.cell = cell
    self.pass = pass
    self.round = round
    self.position = position
    self.started = started
    self.wall = wall
    self.status = status
    self.note = note
    self.timedOnce = timedOnce
    self.settings = settings
    self.streamHash = streamHash
    self.predicted = predicted
    self.timing = timing
    self.cost = cost
  }
}
