import StorageContract

/// The plan of a benchmark run, `plan.json`, which is fixed before the first measurement. It has the combinations of
/// backend, workload and settings to measure, the number of rounds (repetitions) and the seed.
public struct Plan: Sendable, Codable, Equatable {
  /// The version of the format of `plan.json`, see ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The name of the run's profile (a predefined set of measurements, such as `quick`); nil if there is none.
  public var profile: String?
  /// A text that the user gives to distinguish runs; nil if there is none.
  public var label: String?
  /// The command line that repeats the run, as a list of words.
  public var command: [String]
  /// The seed of the random operations, of the generated records and of the order of measurements.
  public var seed: UInt64
  /// Whether each round (repetition) has separate random operations, which are equal for all backends. Nil, in older
  /// plans, means that all rounds use the same operations, from ``seed``.
  public var streamPerRound: Bool? = true
  /// The number of rounds; 0 if the run measures no times, only counts. In a round, every combination of backend,
  /// workload and settings is timed once.
  public var rounds: Int
  /// The target length of a trial's timed part, in nanoseconds. A trial is a measuring process.
  public var trialTime: Int64
  /// The target length of the timed part, in nanoseconds, for backends that save into a write-ahead log. Nil means that
  /// ``trialTime`` applies to these backends, too.
  public var logTrialTime: Int64?
  /// The time limit of one timed trial (a measuring process), in nanoseconds.
  public var cellLimit: Int64
  /// The operations per second of a fixed schedule; nil if each operation starts when the previous one has ended.
  public var rate: Double?
  /// The kind of generated payload: `random` (incompressible) or `text`.
  public var payload: String
  /// The absolute path of the data set file whose rows are the records; nil for generated records.
  public var dataset: String?
  /// A hash of the data set file, so that a resumed run cannot mix two versions of the file. Nil for generated records.
  public var datasetHash: String?
  /// The values of `--map`, which assign columns to fields by name; nil without `--map` and in older plans.
  public var datasetMap: [String]?
  /// A short description of the record fields that are filled from the data set's columns; nil in older plans.
  public var datasetMapping: String?
  /// Whether each combination of backend, workload and settings runs just once, verified and untimed.
  public var once: Bool
  /// Whether the run keeps the store of each backend, workload and setting under `stores/`.
  public var keepStores: Bool
  /// Whether all stores of processes that count system calls are on disk. If false, small stores are in memory,
  /// except for trials with a cold page cache or a memory limit. Nil in older plans.
  public var costOnDisk: Bool?
  /// The file system that the run makes in an image file for its stores; nil if the stores are on the file system of
  /// ``scratch``.
  public var device: DeviceKind?
  /// The part (shard) of the whole plan that this run measures, such as `2/4`; nil if the run measures the whole plan.
  public var shard: String?
  /// The index of each of this run's ``cells`` in the whole plan, for merging the parts (shards) of the plan. Nil
  /// without a shard.
  public var places: [Int]?
  /// An identifier of the whole plan, made from the number and the names of its cells (combinations of backend,
  /// workload and settings). It is equal in all parts (shards); nil in older plans.
  public var matrix: String?
  /// The absolute path of the scratch directory, which contains the stores.
  public var scratch: String
  /// The cells of the run (combinations of backend, workload and settings), in the order in which reports list them.
  public var cells: [PlannedCell]
  /// The backends of the ``cells``, with notes for reports. Each combination of backend and options is listed once. Nil
  /// in older plans.
  public var backends: [PlannedBackend]?
  /// The workloads of the ``cells``, with texts for reports. Each combination of workload and options is listed once.
  /// Nil in older plans.
  public var workloads: [PlannedWorkload]?

  /// A description of the data set for reports: its name, size and columns. Nil for generated records.
  public var datasetInWords: String? {
    guard let name = dataset?.split(separator: "/").last, let datasetMapping else { return nil }
    let count = cells.first.map { "\(Quantity.counted($0.cell.records, "record")); " } ?? ""
    return "data set \(name): \(count)\(datasetMapping)"
  }
  /// The name of the program that made the run, from the command line.
  public var program: String {
    command.first.flatMap { $0.split(separator: "/").last.map(String.init) } ?? "storage-bench"
  }
  /// The command line of the run in shell syntax; empty if the command line is unknown.
  public var commandLine: String { ShellWords.line(command) }
  /// The names of the backends in ``cells``, each once. Backends that keep data only in the process are omitted.
  public var backendNames: [String] {
    cells.reduce(into: []) { names, planned in
      let name = "\(planned.cell.backend)"
      if !planned.isFloor, !names.contains(name) { names.append(name) }
    }
  }

  /// Returns the target duration of the timed part of a trial (a measuring process), in nanoseconds.
  ///
  /// If a backend saves into a write-ahead log, the trial should be long enough for a checkpoint. If each save waits
  /// for the disk, the target is at least ``logTrialTime``. If saves do not wait, the target is at least half of
  /// ``logTrialTime``.
  ///
  /// - Parameter isLengthened: Whether this trial replaces an earlier trial with unsteady latencies. If so, the target
  ///   is up to four times as long. The increase stops at ``longestRepeat``.
  public func trialTime(_ planned: PlannedCell, isLengthened: Bool = false) -> Int64 {
    let own = Self.trialTime(planned, usual: trialTime, log: logTrialTime)
    return isLengthened ? max(own, min(4 * own, Self.longestRepeat)) : own
  }

  /// Returns the target duration of the timed part of a trial (a measuring process), in nanoseconds. `usual` is the
  /// target for most backends, `log` the target for backends that save into a write-ahead log.
  public static func trialTime(_ planned: PlannedCell, usual: Int64, log: Int64?) -> Int64 {
    let log = planned.keepsLog == true ? log ?? 0 : 0
    return max(usual, planned.level == .durable ? log : log / 2)
  }

  /// The default of ``trialTime``, the target length of the timed part of a measuring process, in nanoseconds.
  public static let usualTrialTime: Int64 = 100_000_000
  /// The default of ``cellLimit``, the time limit of a timed measuring process, in nanoseconds.
  public static let usualCellLimit: Int64 = 30_000_000_000
  /// The default of ``payload``, the kind of generated payload.
  public static let usualPayload = "random"
  /// The limit up to which the target duration is increased, in nanoseconds, for a trial (a measuring process) that
  /// replaces a trial with unsteady latencies.
  public static let longestRepeat: Int64 = 400_000_000

  /// Creates the plan of a benchmark run from the cells (combinations of backend, workload and settings) to measure.
  public init(
    profile: String? = nil, label: String? = nil, command: [String] = [], seed: UInt64 = 1, rounds: Int,
    trialTime: Int64 = usualTrialTime, cellLimit: Int64 = usualCellLimit, rate: Double? = nil,
    payload: String = usualPayload, dataset: String? = nil, datasetHash: String? = nil,
    datasetMap: [String]? = nil, once: Bool = false,
    keepStores: Bool = false, costOnDisk: Bool = false, shard: String? = nil, scratch: String = "",
    cells: [PlannedCell], backends: [PlannedBackend]? = nil, workloads: [PlannedWorkload]? = nil
  ) {
    self.profile = profile
    self.label = label
    self.command = command
    self.seed = seed
    self.rounds = rounds
    self.trialTime = trialTime
    self.cellLimit = cellLimit
    self.rate = rate
    self.payload = payload
    self.dataset = dataset
    self.datasetHash = datasetHash
    self.datasetMap = datasetMap
    self.once = once
    self.keepStores = keepStores
    self.costOnDisk = costOnDisk
    self.shard = shard
    self.scratch = scratch
    self.cells = cells
    self.backends = backends
    self.workloads = workloads
  }
}

/// The description of a workload for reports, as a part of a plan.
public struct PlannedWorkload: Sendable, Codable, Equatable {
  /// The name of the workload with options, as on the command line.
  public var name: String
  /// The description of the workload for reports.
  public var words: WorkloadWords

  /// Creates a plan's entry for a workload.
  public init(name: String, words: WorkloadWords) {
    self.name = name
    self.words = words
  }
}

/// The description of a backend, copied into the plan of a run. A report then needs only the run's files.
public struct PlannedBackend: Sendable, Codable, Equatable {
  /// The name of the backend with options, as on the command line.
  public var name: String
  /// The name, color and marker of the backend in reports; nil in older plans.
  public var appearance: Appearance?
  /// One sentence about the data that a crash may lose.
  public var safety: String
  /// The promises of the protocol `StorageBackend` that this backend, with its options, cannot fully keep.
  public var deviations: [Deviation]
  /// The backend whose engine this backend uses, such as `sqlite` for a library on SQLite. Nil if this backend is an
  /// engine, and in older plans.
  public var runsOn: String?
  /// A third-party tool that opens the backend's files, such as `sqlite3`. Nil without such a tool, and in older plans.
  public var opensWith: String?
  /// The line of code with which an app opens a store, for each durability setting; nil in older plans.
  public var code: [String: String]?

  /// Creates a plan's entry for a backend.
  public init(
    name: String, appearance: Appearance? = nil, safety: String, deviations: [Deviation], runsOn: String? = nil,
    opensWith: String? = nil, code: [String: String]? = nil
  ) {
    self.name = name
    self.appearance = appearance
    self.safety = safety
    self.deviations = deviations
    self.runsOn = runsOn
    self.opensWith = opensWith
    self.code = code
  }
}
