import StorageContract

/// The plan of a run (`plan.json`): the benchmarks to run, and settings such as the seed.
public struct Plan: Sendable, Codable, Equatable {
  /// The version of the format of `plan.json`, see ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The name of the plan's profile (predefined settings), such as `quick`; nil if there is none.
  public var profile: String?
  /// The text by which the user distinguishes the run from others; nil if there is none.
  public var label: String?
  /// The command line that repeats the run, as a list of words.
  public var command: [String]
  /// The seed of the random operations, of the generated records and of the order of measurements.
  public var seed: UInt64
  /// Whether the random operations differ from round to round (repetition). In a round, all backends get the same
  /// operations. Nil, in older plans, means false.
  public var streamPerRound: Bool? = true
  /// The number of rounds, in each of which every benchmark is timed once. With 0 rounds, the run only counts calls and
  /// bytes.
  public var rounds: Int
  /// The target duration of the timed part of a measuring process (trial), in nanoseconds.
  public var trialTime: Int64
  /// The target duration, in nanoseconds, of a trial that saves into a write-ahead log. Nil if ``trialTime`` is always
  /// the target.
  public var logTrialTime: Int64?
  /// The time limit of a timed trial, in nanoseconds.
  public var cellLimit: Int64
  /// The number of operations started per second, at fixed times. Nil if each operation starts when the previous one
  /// has ended.
  public var rate: Double?
  /// The kind of payload in the generated records: `random` (incompressible) or `text`.
  public var payload: String
  /// The absolute path of the data set file whose rows are the records; nil if the records are generated.
  public var dataset: String?
  /// A hash of the data set file, by which changes of the file are detected. Nil if records are generated.
  public var datasetHash: String?
  /// The values of the option `--map`, such as `name=title`, which assign columns of the data set to record fields. Nil
  /// without the option.
  public var datasetMap: [String]?
  /// A short description of the record fields that are filled from columns of the data set; nil in older plans.
  public var datasetMapping: String?
  /// Whether the run only verifies the results of each benchmark once, without timing.
  public var once: Bool
  /// Whether the run keeps the stores of its benchmarks in the directory `stores/`.
  public var keepStores = false
  /// Whether all stores are on disk while system calls are counted. If false, small stores may be in memory. Nil in
  /// older plans.
  public var costOnDisk: Bool? = false
  /// The file system that the run creates in an image file for its stores; nil for the file system of ``scratch``.
  public var device: DeviceKind?
  /// The part (shard) of the whole plan that this run measures, such as `2/4`; nil for the whole plan.
  public var shard: String?
  /// The positions of this part's benchmarks in the whole plan, from 0. Nil if the plan is not divided into parts
  /// (shards).
  public var places: [Int]?
  /// An identifier that all parts (shards) of a plan share. Nil for a plan that was not divided, and in older plans.
  public var matrix: String?
  /// The absolute path of the scratch directory, which contains the stores.
  public var scratch: String
  /// The benchmarks to run (combinations of backend, workload and settings), in the order of the reports.
  public var cells: [PlannedCell]
  /// The backends of the planned benchmarks, each once, with facts for reports. Nil in plans of older versions.
  public var backends: [PlannedBackend]?
  /// The workloads of the planned benchmarks, each once, with words for reports. Nil in plans of older versions.
  public var workloads: [PlannedWorkload]?

  /// A description of the data set for reports: its name, size and columns. Nil if the records are generated.
  public var datasetInWords: String? {
    guard let name = dataset?.split(separator: "/").last, let datasetMapping else { return nil }
    let count = cells.first.map { "\(Quantity.counted($0.cell.records, "record")); " } ?? ""
    return "data set \(name): \(count)\(datasetMapping)"
  }
  /// The file name of the program that made the run, usually `storage-bench`, from the first word of ``command``.
  public var program: String {
    command.first.flatMap { $0.split(separator: "/").last.map(String.init) } ?? "storage-bench"
  }
  /// The command line of the run in shell syntax; empty if it is unknown.
  public var commandLine: String { ShellWords.line(command) }
  /// The names of the planned backends, each once, except backends that keep data only in memory.
  public var backendNames: [String] { cells.filter { !$0.isFloor }.map { "\($0.cell.backend)" }.unique }

  /// Returns the target duration of the timed part of a measuring process, in nanoseconds.
  ///
  /// - Parameter isLengthened: Whether to measure for a longer time, because the first latencies were unsteady.
  public func trialTime(_ planned: PlannedCell, isLengthened: Bool = false) -> Int64 {
    // In a write-ahead log, saves that are not durable are timed for at least half as long as durable ones.
    let log = planned.keepsLog == true ? logTrialTime ?? 0 : 0
    let own = max(trialTime, planned.level == .durable ? log : log / 2)
    return isLengthened ? max(own, min(4 * own, Self.longestRepeat)) : own
  }

  /// The default of ``trialTime``, the target duration of the timed part of a measuring process, in nanoseconds.
  public static let usualTrialTime: Int64 = 100_000_000
  /// The default of ``cellLimit``, the time limit of a timed trial, in nanoseconds.
  public static let usualCellLimit: Int64 = 30_000_000_000
  /// The default of ``payload``, the kind of payload in the generated records.
  public static let usualPayload = "random"
  /// The limit up to which the target duration is lengthened when an unsteady trial is repeated, in nanoseconds.
  public static let longestRepeat: Int64 = 200_000_000

  /// Creates the plan of a run from the benchmarks to run.
  public init(
    profile: String? = nil, label: String? = nil, command: [String] = [], seed: UInt64 = 1, rounds: Int,
    trialTime: Int64 = usualTrialTime, cellLimit: Int64 = usualCellLimit, rate: Double? = nil,
    payload: String = usualPayload, dataset: String? = nil, datasetHash: String? = nil,
    datasetMap: [String]? = nil, once: Bool = false, scratch: String = "",
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
    self.scratch = scratch
    self.cells = cells
    self.backends = backends
    self.workloads = workloads
  }
}

/// The name of a workload in a plan, and the words with which reports describe its operation.
public struct PlannedWorkload: Sendable, Codable, Equatable {
  /// The name of the workload with its options, as on the command line: `import:batch=1000`.
  public var name: String
  /// The words with which reports describe the operation of the workload.
  public var words: WorkloadWords

  /// Creates the entry for a workload in a plan.
  public init(name: String, words: WorkloadWords) {
    self.name = name
    self.words = words
  }
}

/// The facts about a backend that a report needs, copied into the plan of a run.
public struct PlannedBackend: Sendable, Codable, Equatable {
  /// The name of the backend with its options, as on the command line: `sqlite:journal=delete`.
  public var name: String
  /// The name, color and marker of the backend in reports; nil in older plans.
  public var appearance: Appearance?
  /// A sentence about the data of the backend that a crash may lose.
  public var safety: String
  /// The promises of the protocol `StorageBackend` that the backend does not fully keep with its options.
  public var deviations: [Deviation]
  /// The name of the backend on which this backend is built, such as `sqlite`. Nil for an engine, and in older plans.
  public var runsOn: String?
  /// The third-party tool that opens the backend's files, such as `sqlite3`. Nil without a tool, and in older plans.
  public var opensWith: String?
  /// Example code for an app: one line per durability (the key, such as `durable`), which opens a store or saves a
  /// file. Nil in plans of older versions.
  public var code: [String: String]?

  /// Creates the entry for a backend in a plan.
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
