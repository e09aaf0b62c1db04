import StorageContract

/// What a trial is for.
public enum Pass: String, Sendable, Codable {
  /// Latency, throughput and CPU time; nothing is counted.
  case timed
  /// Counts and memory over a fixed number of operations; nothing is timed.
  case cost
  /// The cell run once and verified, neither timed nor counted.
  case once
}

/// One line of `trials.jsonl`: one fresh process that ran one cell.
public struct Trial: Sendable, Codable, Equatable {
  /// See ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The cell.
  public var cell: Cell
  /// The machine it ran on, see ``MachineEnvironment/machine``, in runs that were merged; nil where the run has one.
  public var machine: String?
  /// What the trial was for.
  public var pass: Pass
  /// The round of a timed trial, from 1.
  public var round: Int?
  /// The place of a timed trial within its round, from 1.
  public var position: Int?
  /// When the process was started, in seconds since 1970, or its turn came, where its store was prepared beside others.
  public var started: Double
  /// Seconds from launching the process to its end; of a timed trial that was prepared ahead of its turn, from its turn
  /// on, so that these add up to what a round took.
  public var wall: Double
  /// ``Status/ok``, ``Status/failed``, or ``Status/skipped`` where a prediction says it would take too long.
  public var status: Status
  /// The signal, the limit, the key, the error, or what is remarkable about an ok trial. For people: what a program
  /// goes by has a field of its own.
  public var note: String?
  /// Whether a timed trial took so long that the cell's other rounds are left out.
  public var timedOnce = false
  /// Whether a timed trial takes the place of one of its round that was too short to be steady; nil is no.
  public var lengthened: Bool?
  /// Whether the trial was made after its run had been interrupted, by `run --resume`.
  public var resumed = false
  /// Whether a cost pass had its store in memory, and not on the scratch disk; nil where nothing was counted.
  public var inMemory: Bool?
  /// The literal settings that the engine told.
  public var settings: String?
  /// Hash of the operation stream.
  public var streamHash: String?
  /// What the smaller sizes say that an operation would take, in nanoseconds, where that is why it was not timed.
  public var predicted: Double?
  /// A timed trial's figures.
  public var timing: Timing?
  /// A cost trial's figures.
  public var cost: Cost?
  /// What the workload found out besides; nil where it is nothing.
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
