import StorageContract

/// The plan of a run, `plan.json`: its cells, rounds and seed. It is fixed before the first trial.
public struct Plan: Sendable, Codable, Equatable {
  /// See ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The name of the profile that the plan came from, or nil.
  public var profile: String?
  /// A user-defined text that distinguishes runs.
  public var label: String?
  /// The command line that repeats the run.
  public var command: [String]
  /// The seed of the operation streams, the records and the order of trials.
  public var seed: UInt64
  /// Whether each round has its own operation stream, shared by all cells; nil in older plans, in which all rounds use
  /// that of ``seed``.
  public var streamPerRound: Bool? = true
  /// The number of timed trials of each cell; 0 in a run that only counts.
  public var rounds: Int
  /// The target length of a trial's timed part, in nanoseconds.
  public var trialTime: Int64
  /// The target length for saves into a log, see ``trialTime(_:isLengthened:)``; nil to use the normal one.
  public var logTrialTime: Int64?
  /// The time limit of a timed trial, in nanoseconds.
  public var cellLimit: Int64
  /// Operations per second of an open loop, or nil: each operation starts when the previous one has ended.
  public var rate: Double?
  /// `random` (incompressible) or `text`.
  public var payload: String
  /// The absolute path of the file whose rows are the records, or nil for generated ones.
  public var dataset: String?
  /// A hash of that file, so that a resumed run cannot mix two versions of it.
  public var datasetHash: String?
  /// The columns assigned to fields by name, as for `--map`; nil for none, and in older plans.
  public var datasetMap: [String]?
  /// A short description of the assignment of the file's columns; nil in older plans.
  public var datasetMapping: String?
  /// Whether cells run once, verified and untimed.
  public var once: Bool
  /// Whether each cell's store is kept under `stores/`.
  public var keepStores: Bool
  /// Whether cost passes have their stores on the scratch disk even if the stores fit into memory; nil in older plans.
  public var costOnDisk: Bool?
  /// The shard of the cells in this run, such as `2/4`, or nil for all.
  public var shard: String?
  /// For a shard, the position of each of its cells in the whole plan, so that merged shards keep its order.
  public var places: [Int]?
  /// For a shard, an identifier of the whole plan, made from the names of all its cells; nil in older plans.
  public var matrix: String?
  /// The absolute path of the directory for stores.
  public var scratch: String
  /// The cells, in the order in which reports list them.
  public var cells: [PlannedCell]
  /// The backends of the cells, each with its options once, and the notes for their users; nil in older plans.
  public var backends: [PlannedBackend]?
  /// The workloads of the cells that have descriptions for reports, each with its options once; nil in older plans.
  public var workloads: [PlannedWorkload]?

  /// A description of the data set: its name and the assignment of its columns; nil for generated records.
  public var datasetInWords: String? {
    guard let name = dataset?.split(separator: "/").last, let datasetMapping else { return nil }
    let count = cells.first.map { "\(Quantity.counted($0.cell.records, "record")); " } ?? ""
    return "data set \(name): \(count)\(datasetMapping)"
  }
  /// The name of the program that made the run.
  public var program: String {
    command.first.flatMap { $0.split(separator: "/").last.map(String.init) } ?? "storage-bench"
  }
  /// The command line in shell syntax; empty if unknown.
  public var commandLine: String { ShellWords.line(command) }
  /// The backends of the cells, each once, without those of floor rows (see ``PlannedCell/isFloor``).
  public var backendNames: [String] {
    cells.reduce(into: []) { names, planned in
      let name = "\(planned.cell.backend)"
      if !planned.isFloor, !names.contains(name) { names.append(name) }
    }
  }

  /// Returns the target duration of the timed part of a cell's trial, in nanoseconds.
  ///
  /// A log is repeatedly filled and checkpointed, and a trial should include a checkpoint. That takes
  /// ``logTrialTime`` if each save waits for the disk. Otherwise half of it includes several. A row that was not steady is
  /// timed once more, up to four times as long, and no longer than ``longestRepeat``.
  public func trialTime(_ planned: PlannedCell, isLengthened: Bool = false) -> Int64 {
    let own = Self.trialTime(planned, usual: trialTime, log: logTrialTime)
    return isLengthened ? max(own, min(4 * own, Self.longestRepeat)) : own
  }

  /// Returns the target duration for a plan that does not exist yet.
  public static func trialTime(_ planned: PlannedCell, usual: Int64, log: Int64?) -> Int64 {
    let log = planned.keepsLog == true ? log ?? 0 : 0
    return max(usual, planned.level == .durable ? log : log / 2)
  }

  /// The default of ``trialTime``.
  public static let usualTrialTime: Int64 = 100_000_000
  /// The default of ``cellLimit``.
  public static let usualCellLimit: Int64 = 30_000_000_000
  /// The default of ``payload``.
  public static let usualPayload = "random"
  /// The maximum target duration of the timed part of a lengthened trial, in nanoseconds.
  public static let longestRepeat: Int64 = 400_000_000

  /// Creates a plan.
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

/// A workload of a plan and its description for answers.
public struct PlannedWorkload: Sendable, Codable, Equatable {
  /// The workload with its options, as on the command line.
  public var name: String
  /// The description of the workload.
  public var words: WorkloadWords

  /// Creates an entry.
  public init(name: String, words: WorkloadWords) {
    self.name = name
    self.words = words
  }
}

/// Backend metadata, copied so that a report needs no registry.
public struct PlannedBackend: Sendable, Codable, Equatable {
  /// The backend with its options, as on the command line.
  public var name: String
  /// Its name, colour and marker in reports; nil in older plans.
  public var appearance: Appearance?
  /// One sentence about the data that can be lost.
  public var safety: String
  /// The promises of the contract that the backend cannot keep with these options.
  public var deviations: [Deviation]
  /// The backend whose engine this one uses as a library; nil if it is an engine itself, and in older plans.
  public var runsOn: String?
  /// A third-party tool that opens the backend's files; nil if there is none, and in older plans.
  public var opensWith: String?
  /// The line of an app's code that opens a store with the settings of a durability, by the durability's name; nil in older
  /// plans.
  public var code: [String: String]?

  /// Creates an entry.
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
