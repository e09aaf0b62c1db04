import StorageContract

/// The purpose of a trial.
public enum Pass: String, Sendable, Codable {
  /// Measures latency, throughput and CPU time; nothing is counted.
  case timed
  /// Measures counts and memory over a fixed number of operations; nothing is timed.
  case cost
  /// Runs and verifies the cell once, neither timed nor counted.
  case once
}

/// One line of `trials.jsonl`: one new process that ran one cell.
public struct Trial: Sendable, Codable, Equatable {
  /// See ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The cell.
  public var cell: Cell
  /// The machine of the trial in merged runs, see ``MachineEnvironment/machine``; nil if the run has one machine.
  public var machine: String?
  /// The purpose of the trial.
  public var pass: Pass
  /// The round of a timed trial, from 1.
  public var round: Int?
  /// The position of a timed trial within its round, from 1.
  public var position: Int?
  /// The start of the process in seconds since 1970, or the start signal if its store was prepared beside other
  /// processes.
  public var started: Double
  /// Seconds from the launch of the process to its end. For a timed trial that was prepared in advance, seconds from
  /// the start signal, so that the sum is the duration of a round.
  public var wall: Double
  /// ``Status/ok``, ``Status/failed``, or ``Status/skipped`` if it is predicted to take too long.
  public var status: Status
  /// The signal, the limit, the key, the error, or a remark about a successful trial. It is for people only: programs
  /// use separate fields.
  public var note: String?
  /// Whether a timed trial took so long that the cell's other rounds are omitted.
  public var timedOnce = false
  /// Whether a timed trial replaces one of its round that was too short to be steady; nil means no.
  public var lengthened: Bool?
  /// Whether the trial was made by `run --resume` after its run had been interrupted.
  public var resumed = false
  /// Whether a cost pass had its store in memory instead of on the scratch disk; nil if nothing was counted.
  public var inMemory: Bool?
  /// The engine's literal settings, as it reported them.
  public var settings: String?
  /// Hash of the operation stream.
  public var streamHash: String?
  /// The time of an operation in nanoseconds predicted from smaller sizes, if the trial was not timed because of it.
  public var predicted: Double?
  /// The figures of a timed trial.
  public var timing: Timing?
  /// The figures of a cost trial.
  public var cost: Cost?
  /// Further findings of the workload; nil if there are none.
  public var findings: [Finding]?

  private enum CodingKeys: String, CodingKey {
    case schema, cell, machine, pass, round, position, started, wall, status, note, settings, resumed, lengthened
    case timedOnce = "timed_once"
    case inMemory = "in_memory"
    case streamHash = "stream_hash"
    case predicted = "predicted_ns"
    case timing, cost, findings
  }

  /// Creates a trial.
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
