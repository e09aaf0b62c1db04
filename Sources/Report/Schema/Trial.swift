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
  /// When the process was started, in seconds since 1970.
  public var started: Double
  /// Seconds from launching the process to its end.
  public var wall: Double
  /// ``Status/ok``, ``Status/failed``, or ``Status/skipped`` where a prediction says it would take too long.
  public var status: Status
  /// The signal, the limit, the key, the error, or what is remarkable about an ok trial.
  public var note: String?
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

  /// The ``note`` of a timed trial that is not repeated in other rounds.
  public static let timedOnce = "x1"

  private enum CodingKeys: String, CodingKey {
    case schema, cell, machine, pass, round, position, started, wall, status, note, settings
    case streamHash = "stream_hash"
    case predicted = "predicted_ns"
    case timing, cost
  }

  /// Creates a trial.
  public init(
    cell: Cell, pass: Pass, round: Int? = nil, position: Int? = nil, started: Double, wall: Double,
    status: Status, note: String? = nil, settings: String? = nil, streamHash: String? = nil,
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
    self.settings = settings
    self.streamHash = streamHash
    self.predicted = predicted
    self.timing = timing
    self.cost = cost
  }
}

/// What a timed trial measured.
public struct Timing: Sendable, Codable, Equatable {
  /// Operations within the timed part.
  public var operations: Int
  /// Nanoseconds that they took.
  public var elapsed: Int64
  /// Nanoseconds of processor time that the process used meanwhile, all threads, user and system.
  public var cpu: Int64
  /// The exact fastest operation, in nanoseconds; nil where operations were not timed singly.
  public var min: Int64?
  /// The exact slowest one.
  public var max: Int64?
  /// The lower quartile of the time per operation, in nanoseconds: of single operations, or of batches where
  /// these are shorter than 50 readings of the clock; the mean where operations are of several ``kinds``. What
  /// comparisons are made with.
  public var p25: Double
  /// The median of the same.
  public var p50: Double
  /// Operations per batch where batches were timed, else nil.
  public var batch: Int?
  /// The single operations' latencies as ``HistogramText``; nil where they were not timed singly, or are of several
  /// ``kinds``, each of which has its own.
  public var histogram: String?
  /// The measured cost of one reading of the clock, in nanoseconds.
  public var clock: Double
  /// The share of the store's files that was in memory when the timed part began, 0 to 1.
  public var resident: Double?
  /// Checkpoints or other deferred writes seen within the timed part; nil where the engine has none.
  public var checkpoints: Int?
  /// Operations per second of the schedule that operations were started on, their latency counting from when they
  /// were due; nil where each started when the one before had ended.
  public var rate: Double?
  /// Operations that took longer than a frame of 60, and of 120, a second; nil where nobody watches the screen.
  public var overFrame: Int?
  /// See ``overFrame``.
  public var overHalfFrame: Int?
  /// The single operations by their kind, where the workload has several; nil where it has one, or where they were
  /// not timed singly.
  public var kinds: [KindTiming]?

  /// Creates a timing.
  public init(
    operations: Int, elapsed: Int64, cpu: Int64, min: Int64? = nil, max: Int64? = nil, p25: Double,
    p50: Double,
    batch: Int? = nil, histogram: String? = nil, clock: Double, resident: Double? = nil,
    checkpoints: Int? = nil
  ) {
    self.operations = operations
    self.elapsed = elapsed
    self.cpu = cpu
    self.min = min
    self.max = max
    self.p25 = p25
    self.p50 = p50
    self.batch = batch
    self.histogram = histogram
    self.clock = clock
    self.resident = resident
    self.checkpoints = checkpoints
  }
}

/// The operations of one kind in a timed trial of a mix.
public struct KindTiming: Sendable, Codable, Equatable {
  /// The kind's name in the workload's words: `read`.
  public var kind: String
  /// How many were timed singly.
  public var operations: Int
  /// The exact slowest one, in nanoseconds.
  public var max: Int64
  /// Their latencies as ``HistogramText``.
  public var histogram: String

  /// Creates the figures of a kind.
  public init(kind: String, operations: Int, max: Int64, histogram: String) {
    self.kind = kind
    self.operations = operations
    self.max = max
    self.histogram = histogram
  }
}

/// What a cost trial counted: integer totals over ``countedOperations``. Nil means not measured.
public struct Cost: Sendable, Codable, Equatable {
  /// How many operations the counts are of.
  public var countedOperations: Int
  /// Logical bytes that the operations changed.
  public var bytesChanged: Int?
  /// Bytes written to the store up to the last acknowledgement.
  public var bytesWritten: Int?
  /// The same after checkpoint and close.
  public var bytesWrittenSettled: Int?
  /// Calls that wrote to the store.
  public var writeCalls: Int?
  /// Calls that made the disk flush, up to the last acknowledgement.
  public var syncs: Int?
  /// The same after checkpoint and close.
  public var syncsSettled: Int?
  /// Bytes read from the store; nil where it is mapped into memory.
  public var bytesRead: Int?
  /// Files opened.
  public var opens: Int?
  /// Files renamed.
  public var renames: Int?
  /// Blocks taken from malloc.
  public var allocations: Int?
  /// Bytes taken from malloc.
  public var allocatedBytes: Int?
  /// Logical bytes of all records at the end.
  public var storedBytes: Int?
  /// Length of the store's files after close.
  public var fileBytes: Int?
  /// What the file system keeps for them.
  public var fileBytesAllocated: Int?
  /// Highest anonymous resident memory above the start.
  public var peakAnonBytes: Int?
  /// Highest file-backed resident memory above the start.
  public var peakFileBytes: Int?
  /// Bytes written to anything but the store, over the same span as ``bytesWrittenSettled``.
  public var otherBytesWritten: Int?
  /// Calls of the same.
  public var otherWriteCalls: Int?
  /// Bytes written to the store and to anything else, as counted, up to the end.
  public var seenBytesWritten: Int?
  /// Calls of the same.
  public var seenWriteCalls: Int?
  /// The bytes as the kernel counted them for the process: the witness that no call was missed.
  public var processBytesWritten: Int?
  /// The calls as the kernel counted them.
  public var processWriteCalls: Int?
  /// Hash of the logical state after the fixture and the first operations; nil where it cannot be verified.
  public var digest: String?

  private enum CodingKeys: String, CodingKey {
    case countedOperations = "counted_operations"
    case bytesChanged = "bytes_changed"
    case bytesWritten = "bytes_written"
    case bytesWrittenSettled = "bytes_written_settled"
    case writeCalls = "write_calls"
    case syncs
    case syncsSettled = "syncs_settled"
    case bytesRead = "bytes_read"
    case opens, renames, allocations
    case allocatedBytes = "allocated_bytes"
    case storedBytes = "stored_bytes"
    case fileBytes = "file_bytes"
    case fileBytesAllocated = "file_bytes_allocated"
    case peakAnonBytes = "peak_anon_bytes"
    case peakFileBytes = "peak_file_bytes"
    case otherBytesWritten = "other_bytes_written"
    case otherWriteCalls = "other_write_calls"
    case seenBytesWritten = "seen_bytes_written"
    case seenWriteCalls = "seen_write_calls"
    case processBytesWritten = "process_bytes_written"
    case processWriteCalls = "process_write_calls"
    case digest
  }

  /// Creates a cost of nothing measured.
  public init(countedOperations: Int) { self.countedOperations = countedOperations }
}
