import StorageContract

/// Which cells are run, how often, from which seed: `plan.json`. Fixed before the first trial.
public struct Plan: Sendable, Codable, Equatable {
  /// See ``schemaVersion``.
  public var schema: Int = schemaVersion
  /// The name of the profile that the plan came from, or nil.
  public var profile: String?
  /// A text of the user's to tell runs apart.
  public var label: String?
  /// The command line, to make the run again.
  public var command: [String]
  /// What the operation streams, the records and the order of trials are drawn from.
  public var seed: UInt64
  /// The use of one operation stream for each round, shared by all cells: nil in older plans, in which all rounds have
  /// that of ``seed``.
  public var streamPerRound: Bool? = true
  /// Timed trials of each cell; 0 in a run that counts only.
  public var rounds: Int
  /// The length of a trial's timed part that is aimed at, in nanoseconds.
  public var trialTime: Int64
  /// The same for saves that go into a log, see ``trialTime(_:isLengthened:)``; nil for no more.
  public var logTrialTime: Int64?
  /// How long a timed trial may take before it is killed, in nanoseconds.
  public var cellLimit: Int64
  /// Operations per second of an open loop, or nil: each operation starts when the one before has ended.
  public var rate: Double?
  /// `random` (incompressible) or `text`.
  public var payload: String
  /// The file whose rows are the records, as an absolute path, or nil for generated ones.
  public var dataset: String?
  /// A hash of that file, so that a resumed run cannot mix two versions of it.
  public var datasetHash: String?
  /// The columns that fields were given by name, as `--map` takes them; nil for none, and in older plans.
  public var datasetMap: [String]?
  /// Which of the file's columns went where, in a few words; nil in older plans.
  public var datasetMapping: String?
  /// Whether cells run once, verified and untimed.
  public var once: Bool
  /// Whether each cell's store is kept under `stores/`.
  public var keepStores: Bool
  /// Whether cost passes have their stores on the scratch disk although these would fit in memory; nil in older plans.
  public var costOnDisk: Bool?
  /// Which part of the cells this run takes, `2/4`, or nil for all.
  public var shard: String?
  /// Of a shard: the place that each of its cells has in the whole plan, so that merged shards are in its order.
  public var places: [Int]?
  /// Of a shard: what tells the whole plan apart, from the names of all its cells; nil in older plans.
  public var matrix: String?
  /// Where the stores are made, as an absolute path.
  public var scratch: String
  /// The cells, in the order in which reports list them.
  public var cells: [PlannedCell]
  /// The backends of the cells, each with its options once, and what their users should know; nil in older plans.
  public var backends: [PlannedBackend]?
  /// The workloads of the cells that reports have words for, each with its options once; nil in older plans.
  public var workloads: [PlannedWorkload]?

  /// The data set by its name, with where its columns went; nil for generated records.
  public var datasetInWords: String? {
    guard let name = dataset?.split(separator: "/").last, let datasetMapping else { return nil }
    let count = cells.first.map { "\(Quantity.counted($0.cell.records, "record")); " } ?? ""
    return "data set \(name): \(count)\(datasetMapping)"
  }
  /// The program that made the run, by its name.
  public var program: String {
    command.first.flatMap { $0.split(separator: "/").last.map(String.init) } ?? "storage-bench"
  }
  /// The command line as a shell reads it; empty where it is not known.
  public var commandLine: String { ShellWords.line(command) }
  /// The backends of the cells, each once; those that promise nothing are left out.
  public var backendNames: [String] {
    cells.reduce(into: []) { names, planned in
      let name = "\(planned.cell.backend)"
      if !planned.isFloor, !names.contains(name) { names.append(name) }
    }
  }

  /// Nanoseconds that the timed part of a cell's trial aims at.
  ///
  /// A log is used up and checkpointed in turns, and a trial should see several: where each save waits for the disk, that
  /// takes ``logTrialTime``, and a quarter of it elsewhere. A row that was not steady is timed once
  /// more, up to four times as long, and no longer than ``longestRepeat``.
  public func trialTime(_ planned: PlannedCell, isLengthened: Bool = false) -> Int64 {
    let own = Self.trialTime(planned, usual: trialTime, log: logTrialTime)
    return isLengthened ? max(own, min(4 * own, Self.longestRepeat)) : own
  }

  /// The same for a plan that is not made yet.
  public static func trialTime(_ planned: PlannedCell, usual: Int64, log: Int64?) -> Int64 {
    let log = planned.keepsLog == true ? log ?? 0 : 0
    return max(usual, planned.level == .durable ? log : log / 4)
  }

  /// The default of ``trialTime``.
  public static let usualTrialTime: Int64 = 100_000_000
  /// The default of ``cellLimit``.
  public static let usualCellLimit: Int64 = 30_000_000_000
  /// The default of ``payload``.
  public static let usualPayload = "random"
  /// Nanoseconds that the timed part of a lengthened trial aims at, at most.
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

/// A workload of a plan with the words that an answer has for it.
public struct PlannedWorkload: Sendable, Codable, Equatable {
  /// The workload with its options, as on the command line.
  public var name: String
  /// What is said of it.
  public var words: WorkloadWords

  /// Creates an entry.
  public init(name: String, words: WorkloadWords) {
    self.name = name
    self.words = words
  }
}

/// A backend of a plan in its own words, since a report may be made where the backend is not known.
public struct PlannedBackend: Sendable, Codable, Equatable {
  /// The backend with its options, as on the command line.
  public var name: String
  /// One sentence about what can be lost.
  public var safety: String
  /// The promises of the contract that it cannot keep with these options.
  public var deviations: [Deviation]
  /// The backend whose engine it runs on, as a library; nil where it is an engine itself, and in older plans.
  public var runsOn: String?
  /// Which of other people's tools opens its files; nil where there is none, and in older plans.
  public var opensWith: String?

  /// Creates an entry.
  public init(name: String, safety: String, deviations: [Deviation], runsOn: String? = nil, opensWith: String? = nil) {
    self.name = name
    self.safety = safety
    self.deviations = deviations
    self.runsOn = runsOn
    self.opensWith = opensWith
  }
}
