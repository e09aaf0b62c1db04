import StorageContract

/// The purpose of a trial: to time operations, to count calls and bytes, or only to verify.
public enum Pass: String, Sendable, Codable {
  /// The trial measures latency, throughput and CPU time. Separate trials count system calls, bytes and memory.
  case timed
  /// The trial counts system calls, bytes and memory. Nothing is timed.
  case cost
  /// The trial only runs operations and verifies the results. Nothing is timed or counted.
  case once
}

/// The result of one measuring process (trial), which runs one benchmark once: a line of `trials.jsonl`.
public struct Trial: Sendable, Codable, Equatable {
  /// The version of the format of a line of `trials.jsonl`, see ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The benchmark that was run: a combination of backend, workload and settings.
  public var cell: Cell
  /// The hash of the machine on which the trial ran. Nil unless runs of several machines were merged.
  public var machine: String?
  /// The purpose of the trial, such as timing operations.
  public var pass: Pass
  /// The number of the round in which the trial was timed, from 1. Nil for an untimed trial.
  public var round: Int?
  /// The position of the trial within its round, from 1. Nil for an untimed trial.
  public var position: Int?
  /// The start of the trial, in seconds since 1970. If the process first had to wait for other trials, the trial starts
  /// after the wait.
  public var started: Double
  /// The duration of the trial's process in seconds, from ``started`` to the end of the process.
  public var wall: Double
  /// The status of the trial. ``Status/skipped`` means that the trial was not run, for example because it would take
  /// too long.
  public var status: Status
  /// An explanation of the status for people, such as an error, or a remark. Programs should use other fields.
  public var note: String?
  /// Whether the benchmark is not timed in later rounds, because an operation or opening the store takes very long.
  public var timedOnce = false
  /// Whether the trial is longer because it replaces a trial with unsteady latencies. Nil means false.
  public var lengthened: Bool?
  /// Whether `run --resume` made the trial, after an interruption of the run.
  public var resumed = false
  /// Whether the store of a trial that counts calls and bytes was in memory, not on disk. Nil for other trials.
  public var inMemory: Bool?
  /// The settings of the store, as the engine reported them.
  public var settings: String?
  /// A hash of the first operations of the trial. Trials with equal hashes did the same operations.
  public var streamHash: String?
  /// The predicted time of an operation, in nanoseconds, if the trial was skipped. Nil for a trial that was run, or
  /// without a prediction.
  public var predicted: Double?
  /// The measured times of the trial; nil if it is not timed.
  public var timing: Timing?
  /// The counted system calls and bytes, and the ``Cost/digest`` of the store's content. Nil for a timed trial.
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

  /// Creates the result of a trial.
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
