import StorageContract

/// The properties of a workload, which the command `list`, plans and reports use.
public struct WorkloadDescription: Sendable {
  /// The kind of access to the store. Saves are measured at each requested durability level: the kind of crash or power
  /// cut that they must survive. A workload that only reads has no durability level.
  public enum Access: Sendable {
    /// The operation only reads, so it is measured without a durability level.
    case reads
    /// The operation saves, so it is measured at each requested durability level.
    case writes
  }

  /// The name of the workload on the command line.
  public var id: String
  /// The question that the workload answers, in one sentence.
  public var question: String
  /// A sentence that describes one operation.
  public var operation: String
  /// The options that a user can set for the workload.
  public var options: [OptionSpec]
  /// The access to the store, reading or writing, with default options.
  public var access: Access
  /// A function from options to the access to the store; nil if options do not affect it.
  private let accessWith: (@Sendable (Options) -> Access)?
  /// Whether the store is empty before the first operation. If false, the store has the workload's initial records.
  public var startsEmpty: Bool
  /// The number of records that the workload requires, or nil if the user can choose it.
  public var records: Int?
  /// The state of the page cache that the workload requires, or nil if the user can choose it.
  public var cache: CacheState?
  /// Whether the stored records must outlast the process, because another process reads them.
  public var needsPersistence: Bool
  /// A function from options to the capability that the workload needs, or nil if the required members of
  /// ``StorageBackend`` suffice. Reports call a backend `native` if it has the capability.
  public var capability: @Sendable (Options) -> Capability?
  /// The schedule of a workload whose operations start at fixed times, or nil. Without a schedule, each operation
  /// follows the last one at once, unless the user sets a rate.
  public var pace: Pace?
  /// A function that throws a `UsageError` for options that are valid individually but not together.
  public var check: @Sendable (Options) throws -> Void
  /// A function that returns the reason why a store cannot run the workload with given options, or nil if it can.
  public var obstacle: @Sendable (Options, PlannedStore) -> String?
  /// A function from options to the texts about the workload in a report; nil if the workload appears only in tables.
  public var words: @Sendable (Options) -> WorkloadWords?
  /// The names of the store's collections. If a collection only keeps links, it is the last.
  public var collections: [String]

  /// Creates the description of a workload.
  ///
  /// - Parameters:
  ///   - accessWith: A function from options to the access to the store, if options affect it.
  ///   - capability: The capability that every choice of options needs, or nil.
  ///   - capabilityWith: A function from options to the needed capability, used instead of `capability`.
  ///   - words: The texts about the workload in a report, if options do not affect them, or nil.
  ///   - wordsWith: A function from options to these texts, used instead of `words`.
  public init(
    id: String, question: String, operation: String, options: [OptionSpec] = [], access: Access,
    accessWith: (@Sendable (Options) -> Access)? = nil, startsEmpty: Bool = false, records: Int? = nil,
    cache: CacheState? = nil, needsPersistence: Bool = false, capability: Capability? = nil,
    capabilityWith: (@Sendable (Options) -> Capability?)? = nil, collections: [String] = ["records"],
    pace: Pace? = nil, check: @escaping @Sendable (Options) throws -> Void = { _ in },
    obstacle: @escaping @Sendable (Options, PlannedStore) -> String? = { _, _ in nil },
    words: WorkloadWords? = nil, wordsWith: (@Sendable (Options) -> WorkloadWords?)? = nil
  ) {
    self.id = id
    self.question = question
    self.operation = operation
    self.options = options
    self.access = access
    self.accessWith = accessWith
    self.startsEmpty = startsEmpty
    self.records = records
    self.cache = cache
    self.needsPersistence = needsPersistence
    self.capability = capabilityWith ?? { _ in capability }
    self.pace = pace
    self.check = check
    self.collections = collections
    self.obstacle = obstacle
    self.words = wordsWith ?? { _ in words }
  }

  /// Returns the access to the store, reading or writing, with given options.
  public func access(_ options: Options) -> Access { accessWith?(options) ?? access }
}

extension WorkloadDescription {
  /// The workload option for the number of threads (``Cell/threads``). `--threads` sets it for all workloads.
  public static let threadsOption = OptionSpec(
    "threads", .number(1), most: 1_024, help: "threads that work at once, as --threads")

  /// Whether the workload can run on any number of threads.
  public var takesThreads: Bool { options.contains(Self.threadsOption) }
}

/// A store that a benchmark run is going to create: a backend with its options and the durability of its saves.
public struct PlannedStore: Sendable {
  /// The type of the backend.
  public var backend: any StorageBackend.Type
  /// The options of the backend.
  public var options: Options
  /// The requested durability of saves.
  public var durability: Durability

  /// Describes a store that a benchmark run is going to create.
  public init(_ backend: any StorageBackend.Type, _ options: Options = Options(), _ durability: Durability = .shipped) {
    (self.backend, self.options, self.durability) = (backend, options, durability)
  }

  /// The reason why the store cannot read ranges of keys, or nil if it can. It cannot if UUIDs are the keys.
  var lackOfKeyOrder: String? {
    KeyForm(options).isOrdered ? nil : "it reads ranges of keys, and UUIDs are not in their order; give ids=integer"
  }
}

/// The schedule of a workload whose operations start at fixed times.
public struct Pace: Sendable, Equatable {
  /// The number of operations per second.
  public var rate: Double
  /// The minimum number of operations in a timed trial. With fewer operations, the percentages in a report, such as
  /// that of operations over 16.7 ms, would mean nothing.
  public var operations: Int

  /// A schedule of 60 operations per second, the frame rate of a screen, with at least 30 operations.
  public static let frames = Pace(rate: 60, operations: 30)
}
