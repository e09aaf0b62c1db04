import StorageContract

/// The purpose of a trial (a measuring process): to time operations, to count system calls and bytes, or only to
/// verify.
public enum Pass: String, Sendable, Codable {
  /// The trial (a measuring process) measures latency, throughput and CPU time. Nothing is counted.
  case timed
  /// The trial (a measuring process) counts system calls and bytes, and measures memory, for a fixed number of
  /// operations. Nothing is timed.
  case cost
  /// The trial (a measuring process) only runs operations and verifies their results. Nothing is timed or counted.
  case once
}

/// The result of one trial: a line of `trials.jsonl`. In a trial, a new process measures one combination of backend,
/// workload and settings.
public struct Trial: Sendable, Codable, Equatable {
  /// The version of the format of a line of `trials.jsonl`, see ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The combination of backend, workload and settings that the trial ran.
  public var cell: Cell
  /// The hash of the machine (``MachineEnvironment/machine``) in a merged run; nil in a run on one machine.
  public var machine: String?
  /// The purpose of the trial (a measuring process), such as timing operations.
  public var pass: Pass
  /// The round (repetition) of a timed trial (a measuring process), from 1; nil if the trial is not timed. Each round
  /// times every combination of backend, workload and settings.
  public var round: Int?
  /// The position of a timed trial (a measuring process) within its round (repetition), from 1; nil if it is not timed.
  public var position: Int?
  /// The start of the process in seconds since 1970. If the process prepared its store and then waited for a start
  /// signal, the value is the time of the signal.
  public var started: Double
  /// The seconds from the start of the process, or from its start signal, to its end. The preparation before the signal
  /// overlaps with other trials and is not included. The sum over all trials of a round (repetition) is therefore the
  /// duration of the round.
  public var wall: Double
  /// The status of the trial (a measuring process). ``Status/skipped`` means that the trial was predicted to take too
  /// long.
  public var status: Status
  /// An explanation for people: the signal, the exceeded limit, the wrong key, the error, or a remark about a
  /// successful trial. Programs should use other fields instead.
  public var note: String?
  /// Whether an operation, or the opening of the store, took so long that later rounds (repetitions) do not repeat the
  /// trial.
  public var timedOnce = false
  /// Whether the trial (a measuring process) is longer because it replaces one with unsteady latencies; nil means no.
  public var lengthened: Bool?
  /// Whether `run --resume` made the trial (a measuring process) after its run had been interrupted.
  public var resumed = false
  /// Whether the store was in memory and not on the scratch disk, in a trial that counts system calls. Nil for trials
  /// that count nothing.
  public var inMemory: Bool?
  /// The settings of the store, as the engine reported them.
  public var settings: String?
  /// The hash of the inputs of the trial's stream of operations. Equal hashes show that two backends did the same
  /// operations.
  public var streamHash: String?
  /// The predicted time of an operation, in nanoseconds, if timing would take too long; otherwise nil. The prediction
  /// comes from measurements with fewer records.
  public var predicted: Double?
  /// The measured times of a trial (a measuring process); nil if it is not timed.
  public var timing: Timing?
  /// The counts of system calls and bytes of a trial (a measuring process); nil for a timed trial. A trial that only
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
