import StorageContract

/// The description of a workload, for `list`, for plans and for reports.
public struct WorkloadDescription: Sendable {
  /// The kind of access to the store. Workloads that only read have no durability.
  public enum Access: Sendable {
    /// The operation only reads, so it is run once, in the settings of one durability.
    case reads
    /// The operation saves, so it is run at each requested durability.
    case writes
  }

  /// The name of the workload on the command line.
  public var id: String
  /// The question that the workload answers, in one sentence.
  public var question: String
  /// The effect of one operation, as text.
  public var operation: String
  /// The options of the workload.
  public var options: [OptionSpec]
  /// The access to the store with default options.
  public var access: Access
  /// The access to the store, if options affect it.
  private let accessWith: (@Sendable (Options) -> Access)?
  /// Whether the store is empty at the start and does not hold N records.
  public var startsEmpty: Bool
  /// The required number of records, or nil if it can be chosen.
  public var records: Int?
  /// The required cache state, or nil if it can be chosen.
  public var cache: CacheState?
  /// Whether another process reads the stored records, which needs a persistent store.
  public var needsPersistence: Bool
  /// The capability that the workload needs beyond the required members, by options, or nil. A report row is native if
  /// the backend has the capability.
  public var capability: @Sendable (Options) -> Capability?
  /// The schedule of the workload. If nil, operations follow one another, or the user sets a ``Pace``.
  public var pace: Pace?
  /// Throws a `UsageError` if options are valid individually but not together.
  public var check: @Sendable (Options) throws -> Void
  /// The reason that a backend cannot run the workload, even emulated, or nil; it may depend on options.
  public var obstacle: @Sendable (Options, any StorageBackend.Type) -> String?
  /// The texts for the workload's answer in a report, by options; nil if the workload appears only in tables.
  public var words: @Sendable (Options) -> WorkloadWords?
  /// The names of the store's collections. The collection that keeps links is the last.
  public var collections: [String]

  /// Describes a workload.
  ///
  /// - Parameters:
  ///   - accessWith: The access to the store, if options affect it.
  ///   - capability: The capability that is needed with all options, or nil.
  ///   - capabilityWith: The capability by options, instead of `capability`.
  ///   - words: The texts for a report's answer with all options, or nil.
  ///   - wordsWith: The texts by options, instead of `words`.
  public init(
    id: String, question: String, operation: String, options: [OptionSpec] = [], access: Access,
    accessWith: (@Sendable (Options) -> Access)? = nil, startsEmpty: Bool = false, records: Int? = nil,
    cache: CacheState? = nil, needsPersistence: Bool = false, capability: Capability? = nil,
    capabilityWith: (@Sendable (Options) -> Capability?)? = nil, collections: [String] = ["records"],
    pace: Pace? = nil, check: @escaping @Sendable (Options) throws -> Void = { _ in },
    obstacle: @escaping @Sendable (Options, any StorageBackend.Type) -> String? = { _, _ in nil },
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

  /// Returns the access to the store with these options.
  public func access(_ options: Options) -> Access { accessWith?(options) ?? access }
}

extension WorkloadDescription {
  /// The option of workloads that run on any number of threads: ``Cell/threads``. `--threads` sets the option for all.
  public static let threadsOption = OptionSpec(
    "threads", .number(1), most: 1_024, help: "threads that work at once, as --threads")

  /// Whether the workload can run on any number of threads.
  public var takesThreads: Bool { options.contains(Self.threadsOption) }
}

/// The schedule of a workload whose operations start at fixed times.
public struct Pace: Sendable, Equatable {
  /// The number of operations per second.
  public var rate: Double
  /// The minimum number of operations of a timed part: percentages of a few mean nothing.
  public var operations: Int

  /// A pace of 60 operations per second, the frame rate of a screen, for half a second.
  public static let frames = Pace(rate: 60, operations: 30)
}
