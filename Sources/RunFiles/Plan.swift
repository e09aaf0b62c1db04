import StorageContract

/// The plan of a benchmark run, `plan.json`: cells, rounds and seed. The plan is fixed before the first trial.
public struct Plan: Sendable, Codable, Equatable {
  /// The version of the file's schema, see ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The name of the profile that the plan was made from; nil if the user named the cells without a profile.
  public var profile: String?
  /// A text by which the user distinguishes runs.
  public var label: String?
  /// The command line that repeats the run, as words.
  public var command: [String]
  /// The seed of the operation streams, the records and the order of trials.
  public var seed: UInt64
  /// Whether each round has its own operation stream, shared by all cells; nil in older plans, in which all rounds use
  /// the stream of ``seed``.
  public var streamPerRound: Bool? = true
  /// The number of timed trials of each cell; 0 in a run that only counts.
  public var rounds: Int
  /// The target length of a trial's timed part, in nanoseconds.
  public var trialTime: Int64
  /// The target length for saves into a log, see ``trialTime(_:isLengthened:)``; nil for the length of other trials.
  public var logTrialTime: Int64?
  /// The time limit of a timed trial, in nanoseconds.
  public var cellLimit: Int64
  /// The operations per second of a fixed schedule; nil if each operation starts when the previous one has ended.
  public var rate: Double?
  /// The kind of generated payload: `random` (incompressible) or `text`.
  public var payload: String
  /// The absolute path of the data set file whose rows are the records; nil for generated records.
  public var dataset: String?
  /// A hash of the data set file, so that a resumed run cannot mix two versions of the file.
  public var datasetHash: String?
  /// The data set's columns that are assigned to fields by name, as for `--map`; nil if none, and in older plans.
  public var datasetMap: [String]?
  /// A short description of the assignment of the data set's columns; nil in older plans.
  public var datasetMapping: String?
  /// Whether each cell runs just once, verified and untimed.
  public var once: Bool
  /// Whether the run keeps the store of each cell under `stores/`.
  public var keepStores: Bool
  /// Whether cost trials keep even small stores on the scratch disk instead of in memory; nil in older plans.
  public var costOnDisk: Bool?
  /// The shard of the plan that this run measures, such as `2/4`; nil if the run measures all cells.
  public var shard: String?
  /// The position of each cell of a shard in the whole plan, so that merged shards keep the order; nil without a shard.
  public var places: [Int]?
  /// An identifier of the whole plan for its shards, made from the names of all cells; nil in older plans.
  public var matrix: String?
  /// The absolute path of the scratch directory, which contains the stores.
  public var scratch: String
  /// The cells of the run, in the order in which reports list them.
  public var cells: [PlannedCell]
  /// The backends of the cells, each with its options once, and the notes for users; nil in older plans.
  public var backends: [PlannedBackend]?
  /// The workloads of the cells that have descriptions for reports, each with options once; nil in older plans.
  public var workloads: [PlannedWorkload]?

  /// The name of the data set and the assignment of its columns, for reports; nil for generated records.
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
  /// The names of the cells' backends, each once, without those of floor rows (see ``PlannedCell/isFloor``).
  public var backendNames: [String] {
    cells.reduce(into: []) { names, planned in
      let name = "\(planned.cell.backend)"
      if !planned.isFloor, !names.contains(name) { names.append(name) }
    }
  }

  /// Returns the target duration of the timed part of a cell's trial, in nanoseconds.
  ///
  /// A workload that saves into a log fills and checkpoints the log repeatedly, and a trial should include a
  /// checkpoint. That takes ``logTrialTime`` if each save waits for the disk. Otherwise half of that time includes
  /// several checkpoints. A trial that was not steady is repeated once, up to four times as long, and no longer than
  /// ``longestRepeat``.
  public func trialTime(_ planned: PlannedCell, isLengthened: Bool = false) -> Int64 {
    let own = Self.trialTime(planned, usual: trialTime, log: logTrialTime)
    return isLengthened ? max(own, min(4 * own, Self.longestRepeat)) : own
  }

  /// Returns the target duration of a trial's timed part, in nanoseconds, before a plan exists.
  public static func trialTime(_ planned: PlannedCell, usual: Int64, log: Int64?) -> Int64 {
    let log = planned.keepsLog == true ? log ?? 0 : 0
    return max(usual, planned.level == .durable ? log : log / 2)
  }

  /// The default target length of a trial's timed part, in nanoseconds, see ``trialTime``.
  public static let usualTrialTime: Int64 = 100_000_000
  /// The default time limit of a timed trial, in nanoseconds, see ``cellLimit``.
  public static let usualCellLimit: Int64 = 30_000_000_000
  /// The default kind of generated payload, see ``payload``.
  public static let usualPayload = "random"
  /// The maximum target duration of the timed part of a lengthened trial, in nanoseconds.
  public static let longestRepeat: Int64 = 400_000_000

  /// Creates a plan of a run.
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

/// A workload of a plan, with its description for reports.
public struct PlannedWorkload: Sendable, Codable, Equatable {
  /// The name of the workload with its options, as on the command line.
  public var name: String
  /// The description of the workload for reports.
  public var words: WorkloadWords

  /// Creates a workload entry of a plan.
  public init(name: String, words: WorkloadWords) {
    self.name = name
    self.words = words
  }
}

/// Metadata of a backend, copied into the plan so that a report needs no registry.
public struct PlannedBackend: Sendable, Codable, Equatable {
  /// The name of the backend with its options, as on the command line.
  public var name: String
  /// The name, color and marker of the backend in reports; nil in older plans.
  public var appearance: Appearance?
  /// One sentence about the data that a crash may lose.
  public var safety: String
  /// The promises of the contract that the backend cannot keep with these options.
  public var deviations: [Deviation]
  /// The backend whose engine this backend uses as a library; nil if it is an engine itself, and in older plans.
  public var runsOn: String?
  /// A third-party tool that opens the backend's files; nil if there is no such tool, and in older plans.
  public var opensWith: String?
  /// The line of an app's code that opens a store, by the name of the durability setting; nil in older plans.
  public var code: [String: String]?

  /// Creates a backend entry of a plan.
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
