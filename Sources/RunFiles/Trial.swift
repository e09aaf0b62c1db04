import StorageContract

/// The purpose of a trial.
public enum Pass: String, Sendable, Codable {
  /// The trial measures latency, throughput and CPU time. Nothing is counted.
  case timed
  /// The trial measures counts and memory over a fixed number of operations. Nothing is timed.
  case cost
  /// The trial runs and verifies the cell once, neither timed nor counted.
  case once
}

/// The result of one trial, in which a new process ran one cell: a line of `trials.jsonl`.
public struct Trial: Sendable, Codable, Equatable {
  /// The version of the file's schema, see ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The combination of backend, workload and settings that the trial ran.
  public var cell: Cell
  /// The machine of the trial in merged runs, see ``MachineEnvironment/machine``; nil if the run has one machine.
  public var machine: String?
  /// The purpose of the trial.
  public var pass: Pass
  /// The round of a timed trial, from 1.
  public var round: Int?
  /// The position of a timed trial within its round, from 1.
  public var position: Int?
  /// The start of the process in seconds since 1970. If the store was prepared beside other processes, the time of the
  /// start signal.
  public var started: Double
  /// The seconds from the launch of the process to its end. For a timed trial that was prepared in advance, the seconds
  /// from the start signal, so that the sum is the duration of a round.
  public var wall: Double
  /// The status of the trial. ``Status/skipped`` means that the trial was predicted to take too long.
  public var status: Status
  /// An explanation for people: the signal, the limit, the key, the error, or a remark about a successful trial.
  /// Programs use separate fields.
  public var note: String?
  /// Whether a timed trial took so long that the cell's other rounds are omitted.
  public var timedOnce = false
  /// Whether the trial replaces a timed trial of its round that was too short to be steady; nil means no.
  public var lengthened: Bool?
  /// Whether `run --resume` made the trial after its run had been interrupted.
  public var resumed = false
  /// Whether a cost trial had its store in memory instead of on the scratch disk; nil if nothing was counted.
  public var inMemory: Bool?
  /// The engine's literal settings, as it reported them.
  public var settings: String?
  /// The hash of the operation stream, which shows that all backends did the same operations.
  public var streamHash: String?
  /// The time of an operation in nanoseconds predicted from smaller sizes, if the prediction was too long to time it.
  public var predicted: Double?
  /// The measured times of a timed trial.
  public var timing: Timing?
  /// The counts of a cost trial.
  public var cost: Cost?
  /// Further values that the workload measured; nil if it measures no such values.
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
