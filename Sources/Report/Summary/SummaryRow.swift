import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// What the trials of one cell say: one row of `summary.csv`.
///
/// Nil means not measured. A failed row carries no figure at all.
public struct SummaryRow: Sendable, Equatable {
  /// The cell.
  public var cell: Cell
  /// A short hash of the machine; see `MachineEnvironment.machine`.
  public var machine: String
  /// The run's name.
  public var run: String
  /// What the row promises about saves; nil for reads.
  public var level: Level?
  /// The engine's literal settings, or empty.
  public var settings: String = ""
  /// The engine as it names itself.
  public var engineVersion: String
  /// Whether the engine did it in its own way.
  public var fidelity: Fidelity
  /// What became of the cell.
  public var status: Status = .ok
  /// Why it is not ok, or what is remarkable; may be empty.
  public var note: String = ""
  /// Timed trials that count.
  public var processes: Int = 0
  /// Their timed operations.
  public var operations: Int = 0
  /// The median of the processes' typical times (see ``RoundTiming/typical``), in nanoseconds; nil for a mix.
  public var p50: Double?
  /// The order-statistic interval of ``p50``, in nanoseconds; nil below six processes.
  public var p50Interval: MedianInterval?
  /// Nine of ten operations took no longer, in nanoseconds, each process weighing the same; nil unless every process
  /// timed operations singly.
  public var p90: Double?
  /// In nanoseconds; nil below 100 operations.
  public var p99: Double?
  /// In nanoseconds; nil below 1,000 operations.
  public var p999: Double?
  /// The slowest operation, exactly, in nanoseconds.
  public var max: Double?
  /// What one of all operations took on average, in nanoseconds: their total time by their number, exactly. Of several
  /// threads, or on a schedule, where elapsed time is no sum of latencies, the mean of the histograms' buckets, which is
  /// exact to 0.1 %.
  public var mean: Double?
  /// All operations by all elapsed time.
  public var operationsPerSecond: Double?
  /// Processor time per operation, in nanoseconds.
  public var cpuPerOperation: Double?
  /// The kinds of operations of a mix, in the order in which the workload lists them; empty for other workloads. Only
  /// ``KindLatency/known`` ones are in `summary.csv`.
  public var kinds: [KindLatency] = []
  /// Operations that took longer than a frame of 60 a second, of a workload that keeps to the screen's pace.
  public var overFrame: Int?
  /// The same for 120 a second.
  public var overHalfFrame: Int?
  /// The cost pass's counts.
  public var cost: Cost? {
    get { counted?.cost }
    set { counted = newValue.map(Counted.init) }
  }
  /// Half of a row, which takes part in several groups and curves: kept once for all its copies.
  private var counted: Counted?
  private final class Counted: Sendable, Equatable {
    let cost: Cost
    init(_ cost: Cost) { self.cost = cost }
    static func == (left: Counted, right: Counted) -> Bool { left.cost == right.cost }
  }
  /// What the workload found out besides, of all trials together; see `Finding`.
  public var findings: [Finding] = []
  /// Hash of the operation stream, or empty.
  public var streamHash: String = ""
  /// The name of the file whose rows were the records, or empty.
  public var dataset: String = ""
  /// The run's seed.
  public var seed: UInt64

  /// What each round measured, for comparing rows round by round. Not in `summary.csv`.
  public var rounds: Rounds = [:]
  /// The latencies of all processes, each weighing the same, in nanoseconds; nil unless every process timed all of its
  /// operations singly. Not in `summary.csv`.
  public var histogram: SparseHistogram?
  /// The latencies of one process in the order of its operations: of the one whose typical time is the median. Nil where
  /// there were too few. Not in `summary.csv`.
  public var course: LatencySeries?
  /// Of a work-alike, how far it stands for what it imitates. Not in `summary.csv`.
  public var likeness: Resemblance?
  /// The backend's name, colour and marker; nil in older runs. Not in `summary.csv`.
  public var appearance: Appearance?
  /// Whether the backend is a floor to compare with, shown without a rank. Not in `summary.csv`.
  public var isFloor = false
  /// Whether every save writes the whole store. Not in `summary.csv`.
  public var isWholeFile = false
  /// Whether the backend says that its counts do not repeat exactly. Not in `summary.csv`.
  public var countsVary = false
  /// What the smaller sizes say that an operation would take, in nanoseconds, where it was not timed for that reason.
  /// Not in `summary.csv`, where the note says it.
  public var predicted: Double?
  /// Whether one operation took so long that the cell was timed once: no interval, never a winner.
  public var isTimedOnce = false
  /// Whether its operations take as long at the end of a trial as at its start. Not in `summary.csv`, where the note says
  /// it.
  public var steadiness = Steadiness.steady
  /// `not steady: gets slower`; nil where it is steady.
  public var steadinessInWords: String? {
    switch steadiness {
    case .steady: nil
    case .slower: "not steady: gets slower"
    case .faster: "not steady: gets faster"
    }
  }
  /// Why its times are not the engine's, since others used the machine; nil where they are. Not in `summary.csv`, where the
  /// note says it.
  public var disturbance: String?
  /// Whether others used the machine so much that the row takes part in no comparison, sentence or advice.
  public var isDisturbed: Bool { disturbance != nil }
  /// Whether operations too short for the clock were timed together.
  public var isBatched = false
  /// Whether operations that were to start on a schedule could not keep to it.
  public var fellBehind = false
  /// Whether trials of the row were made after the run had been interrupted.
  public var isResumed = false

  /// Creates a row without figures.
  public init(
    cell: Cell, machine: String, run: String, level: Level?, engineVersion: String, fidelity: Fidelity,
    seed: UInt64
  ) {
    self.cell = cell
    self.machine = machine
    self.run = run
    self.level = level
    self.engineVersion = engineVersion
    self.fidelity = fidelity
    self.seed = seed
  }

  /// What one operation took, in nanoseconds, as people are shown it: ``p50``, or of a mix the mean, the inverse of
  /// ``operationsPerSecond``.
  public var typicalTime: Double? { p50 ?? operationsPerSecond.map { 1e9 / $0 } }

  /// The time of one operation, in nanoseconds, where a report answers how long a save or a read takes: the mean where it
  /// differs from the median, since an app pays all operations, and else ``typicalTime``.
  public var answerTime: Double? { meanDiffers ? mean : typicalTime }
  /// ``answerTime`` round by round.
  var answerRounds: Rounds { meanDiffers ? rounds.means : rounds }

  /// Whether the mean is so much larger than the median that both must be told; see `MeanRule`.
  public var meanDiffers: Bool {
    // What waits in a queue tells how long the trial was.
    guard let mean, let p50, !fellBehind else { return false }
    return MeanRule.differs(
      mean: mean, median: p50, processes: rounds.values.map { ($0.meanLatency, $0.typical) },
      samples: rounds.values.reduce(0) { $0 + $1.samples })
  }

  /// Whether the cell's limit of memory ended its process, which is a result.
  public var isEndedByMemory: Bool { status == .notAvailable && finding(MemoryFindings.ended) != nil }

  /// The value of a finding, nil where there is none of that name.
  public func finding(_ name: String) -> Double? { findings.first { $0.name == name }?.value }

  /// A count of the cost pass per operation, nil where not measured.
  public func perOperation(_ count: KeyPath<Cost, Int?>) -> Double? {
    guard let cost, cost.countedOperations > 0, let total = cost[keyPath: count] else { return nil }
    return Double(total) / Double(cost.countedOperations)
  }

  /// Bytes written, deferred ones included, by bytes that changed.
  public var writeAmplification: Double? {
    guard let written = cost?.bytesWrittenSettled, let changed = cost?.bytesChanged, changed > 0 else {
      return nil
    }
    return Double(written) / Double(changed)
  }
}

/// A timed trial as far as comparing it with another of the same round needs it.
public struct RoundTiming: Sendable, Equatable {
  /// See `Timing.typical`.
  public var typical: Double
  /// See `Timing.mean`.
  public var mean: Double
  /// Whether operations were timed in batches.
  public var isBatched: Bool
  /// A difference below this many nanoseconds is the timer's own: 2 in batches, else one reading of the clock.
  public var resolution: Double
  /// The mean of the operations' latencies, in nanoseconds: ``mean``, unless several threads lie side by side in it or it
  /// is a schedule's.
  public var meanLatency: Double
  /// How many times something was timed: operations, or batches of them.
  public var samples: Int

  /// Creates a round's timing.
  ///
  /// - Parameters:
  ///   - typical: Nanoseconds of the median operation.
  ///   - mean: Nanoseconds of an operation on average; the typical time, unless said otherwise.
  ///   - isBatched: Whether operations were timed in batches.
  ///   - resolution: Nanoseconds below which a difference is the timer's own.
  ///   - meanLatency: Nanoseconds; the mean, unless said otherwise.
  ///   - samples: How many times something was timed.
  public init(
    typical: Double, mean: Double? = nil, isBatched: Bool = false, resolution: Double, meanLatency: Double? = nil,
    samples: Int = 1
  ) {
    self.typical = typical
    self.mean = mean ?? typical
    self.isBatched = isBatched
    self.resolution = resolution
    self.meanLatency = meanLatency ?? self.mean
    self.samples = samples
  }
}

/// The operations of one kind of a mix, those that were timed singly.
public struct KindLatency: Sendable, Equatable {
  /// The kind's name in the workload's words: `read`.
  public var kind: String
  /// How many were timed singly.
  public var operations: Int
  /// Their median, in nanoseconds.
  public var p50: Double
  /// In nanoseconds; nil below 100 operations.
  public var p99: Double?

  /// Creates the figures of a kind.
  public init(kind: String, operations: Int, p50: Double, p99: Double?) {
    self.kind = kind
    self.operations = operations
    self.p50 = p50
    self.p99 = p99
  }

  /// The kinds that reports know, and what YCSB's own output calls them.
  public static let known: [(kind: String, name: String)] = [
    ("read", "READ"), ("update", "UPDATE"), ("insert", "INSERT"), ("scan", "SCAN"), ("rmw", "READ-MODIFY-WRITE"),
  ]
}

/// Writes and reads `summary.csv`.
public enum SummaryCSV {
  /// The columns' names in their order.
  public static var columns: [String] { SummaryColumn.all.map(\.name) }

  /// The whole file's text.
  public static func text(_ rows: [SummaryRow]) -> String {
    var text = CSVText.line(columns) + "\n"
    for row in rows { text += CSVText.line(SummaryColumn.all.map { $0.text(row) }) + "\n" }
    return text
  }

  /// Reads a file. What is not in it (``SummaryRow/rounds``, whether a backend is a floor) is left out; further
  /// columns at the end, of a later version, are ignored, and what an older one did not write yet is empty.
  ///
  /// - Throws: `UsageError` naming the file, the line and the column.
  public static func read(_ url: URL) throws -> [SummaryRow] {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw UsageError("cannot read \(url.path): \(AtomicFile.reason(of: error))")
    }
    return try parse(String(decoding: data, as: UTF8.self), path: url.path)
  }

  /// Reads a file's text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - path: The file's name for messages.
  /// - Throws: `UsageError` naming the file, the line and the column.
  public static func parse(_ text: String, path: String) throws -> [SummaryRow] {
    guard let lines = CSVText.parse(text) else {
      throw UsageError("\(path) is damaged: a quote is left open")
    }
    guard let header = lines.first else { throw UsageError("\(path) is empty; make it again with `report`") }
    let known = columns.prefix(max(header.fields.count, columns.count - SummaryColumn.later.count))
    guard header.fields.starts(with: known) else {
      let wrong =
        zip(known, header.fields).first { $0 != $1 }?.0 ?? known[min(header.fields.count, known.count - 1)]
      throw UsageError(
        "\(path) is not a summary of schema version \(schemaVersion): column \(wrong) is not in its place")
    }
    return try lines.dropFirst().map { line in
      let place = "\(path), line \(line.line)"
      guard line.fields.count == header.fields.count else {
        throw UsageError("\(place): \(line.fields.count) fields where the header has \(header.fields.count)")
      }
      let values = Dictionary(uniqueKeysWithValues: zip(columns, line.fields))
      var row = SummaryRow(
        cell: try cell(values, place), machine: "", run: "", level: nil, engineVersion: "", fidelity: .native,
        seed: 0)
      for (column, field) in zip(SummaryColumn.all, line.fields) where !column.read(field, &row) {
        throw UsageError("\(place): '\(field)' is not a value of \(column.name)")
      }
      return row
    }
  }

  private static func cell(_ values: [String: String], _ place: String) throws -> Cell {
    func value<Value>(_ name: String, _ read: (String) -> Value?) throws -> Value {
      let text = values[name] ?? ""
      guard let value = read(text) else { throw UsageError("\(place): '\(text)' is not a value of \(name)") }
      return value
    }
    /// A column that files of older builds lack, and that is empty where nothing is said.
    func later<Value>(_ name: String, _ read: (String) -> Value?) throws -> Value? {
      (values[name] ?? "").isEmpty ? nil : try value(name, read)
    }
    let durability: Durability? =
      (values["durability"] ?? "").isEmpty ? nil : try value("durability") { Durability(rawValue: $0) }
    let id = try value("backend") { $0.isEmpty ? nil : $0 }
    let options = try value("options") { Options(verbatim: $0) }
    return Cell(
      backend: Spec(id: id, options: options),
      workload: Spec(verbatim: try value("workload") { $0.isEmpty ? nil : $0 }),
      records: try value("records") { Int($0) },
      recordBytes: try value("record_bytes") { Int($0) },
      durability: durability,
      threads: try value("threads") { Int($0) },
      cache: try value("cache") { CacheState(rawValue: $0) },
      aged: try later("aged") { Int($0) } ?? 0,
      memory: try later("memory") { Int($0) })
  }
}
