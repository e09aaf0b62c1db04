import StorageContract

/// The properties of a workload, such as its name, question and options.
public struct WorkloadDescription: Sendable {
  /// The access of a workload's operations to the store: only reading, or saving.
  public enum Access: Sendable {
    /// The access of operations that only read. Their durability does not matter.
    case reads
    /// The access of operations that save records. Each durability that the user requests is measured separately.
    case writes
  }

  /// The name of the workload on the command line, such as `save-one`.
  public var id: String
  /// The question that the workload answers, such as "What does adding one record cost?".
  public var question: String
  /// A description of one operation, such as "read one record as Swift values, keys uniform".
  public var operation: String
  /// The options that a user can set for the workload.
  public var options: [OptionSpec] = []
  /// The default access of the operations to the store, which options such as `do=read` may change.
  public var access: Access
  /// A function that returns whether operations with the user's options save or only read. Nil means that ``access``
  /// applies to all options.
  public var accessWith: (@Sendable (Options) -> Access)?
  /// The number of operations in a trial that counts system calls, unless it depends on the options.
  public var counted = CountedOperations.number(1)
  /// Whether the store is empty before the first operation. If false, the store has the workload's initial records.
  public var startsEmpty = false
  /// The number of records that the workload requires, or nil if the user can choose it.
  public var records: Int?
  /// The state of the page cache that the workload requires, warm or cold, or nil if the user can choose it.
  public var cache: CacheState?
  /// Whether the stored records must outlast the process, because another process reads them.
  public var needsPersistence = false
  /// A function that returns the backend feature that the workload needs with the user's options, or nil. A missing
  /// feature is emulated.
  public var capability: @Sendable (Options) -> Capability? = { _ in nil }
  /// The names of the store's collections. A collection that stores only links between records must be the last.
  public var collections = ["records"]
  /// The schedule of operations that start at fixed times. If nil, each operation starts when the previous operation
  /// ends, unless the user sets a rate.
  public var pace: Pace?
  /// A function that throws a `UsageError` for options that are valid individually but not together.
  public var check: @Sendable (Options) throws -> Void = { _ in }
  /// A function that returns the reason why a store cannot run the workload with the user's options, or nil if it can.
  public var obstacle: @Sendable (Options, PlannedStore) -> String? = { _, _ in nil }
  /// A function that returns phrases about the workload with the user's options for the report, such as "a save", or
  /// nil if there are none.
  public var words: @Sendable (Options) -> WorkloadWords? = { _ in nil }

  /// Returns whether operations with the given options save records or only read.
  public func access(_ options: Options) -> Access { accessWith?(options) ?? access }

  /// The option for the number of threads of a workload. The option `--threads` sets the number for all workloads.
  public static let threadsOption = OptionSpec(
    "threads", .number(1), most: 1_024, help: "threads that work at once, as --threads")

  /// Whether the user can choose the number of threads on which the workload runs.
  public var takesThreads: Bool { options.contains(Self.threadsOption) }
}

extension WorkloadDescription {
  /// Creates the description of a workload of another package. All other properties can be set afterwards.
  public init(id: String, question: String, operation: String, access: Access) {
    self.init(id: id, question: question, operation: operation, options: [], access: access)
  }
}

/// A store that a benchmark run is going to create: a backend with its options and the durability of its saves.
public struct PlannedStore: Sendable {
  /// The type of the backend that is to be measured.
  public var backend: any StorageBackend.Type
  /// The options of the backend, such as its journal mode.
  public var options: Options
  /// The requested durability of saves.
  public var durability: Durability

  /// Creates the plan of a store from a backend, its options and the durability of saves.
  public init(_ backend: any StorageBackend.Type, _ options: Options = Options(), _ durability: Durability = .shipped) {
    (self.backend, self.options, self.durability) = (backend, options, durability)
  }

  /// The reason why the store cannot read ranges of keys (its keys are UUIDs), or nil if the store can.
  var lackOfKeyOrder: String? {
    KeyForm(options).isOrdered ? nil : "it reads ranges of keys, and UUIDs are not in their order; give ids=integer"
  }
}

/// The schedule of a workload whose operations start at fixed times.
public struct Pace: Sendable, Equatable {
  /// The number of operations that start per second.
  public var rate: Double
  /// The minimum number of operations in a timed trial, so that percentages in the report are meaningful.
  public var operations: Int

  /// A schedule of 60 operations per second, the frame rate of a screen. A timed trial has at least 30 operations.
  public static let frames = Pace(rate: 60, operations: 30)
}
