import StorageContract

/// The description of a workload, for `list`, for plans and for reports.
public struct WorkloadDescription: Sendable {
  /// Whether the workload changes the store. Rows that only read carry no durability.
  public enum Access: Sendable {
    /// Nothing is changed; run once, in the settings of one durability.
    case reads
    /// Saves are part of it; run at each durability asked for.
    case writes
  }

  /// The name on the command line.
  public var id: String
  /// The question that it answers, in one sentence.
  public var question: String
  /// The effect of one operation.
  public var operation: String
  /// Its options.
  public var options: [OptionSpec]
  /// Whether it changes the store, with its default options.
  public var access: Access
  /// The same where options change it.
  private let accessWith: (@Sendable (Options) -> Access)?
  /// Whether it starts with an empty store and not with N records.
  public var startsEmpty: Bool
  /// The number of records that the workload is about, or nil where it can be chosen.
  public var records: Int?
  /// The cache state that the workload is about, or nil where it can be chosen.
  public var cache: CacheState?
  /// Whether it reads in another process what was stored in one.
  public var needsPersistence: Bool
  /// The capability that it needs beyond the required members, or nil. Options may change it. A row is native if the
  /// backend has the capability.
  public var capability: @Sendable (Options) -> Capability?
  /// The schedule that it keeps to, or nil where operations follow one another, or ``Pace`` is the user's.
  public var pace: Pace?
  /// Refuses options that are right each for itself and not together, with a `UsageError`.
  public var check: @Sendable (Options) throws -> Void
  /// Why a backend cannot do this at all, not even emulated, or nil. Options may change it.
  public var obstacle: @Sendable (Options, any StorageBackend.Type) -> String?
  /// The words of a report's answer for it, with some options. Nil if it appears in tables only.
  public var words: @Sendable (Options) -> WorkloadWords?
  /// The names of its stores' collections. One that keeps links comes last.
  public var collections: [String]

  /// Describes a workload.
  ///
  /// - Parameters:
  ///   - accessWith: Whether it changes the store, where options change that.
  ///   - capability: The capability that it needs with all options, or nil.
  ///   - capabilityWith: The same where options change it; takes the place of `capability`.
  ///   - words: The words of a report's answer for it with all options, or nil.
  ///   - wordsWith: The same where options change it; takes the place of `words`.
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

  /// Returns whether the workload changes the store with these options.
  public func access(_ options: Options) -> Access { accessWith?(options) ?? access }
}

extension WorkloadDescription {
  /// The option of workloads that any number of threads can do: ``Cell/threads``, which `--threads` sets for all.
  public static let threadsOption = OptionSpec(
    "threads", .number(1), most: 1_024, help: "threads that work at once, as --threads")

  /// Whether any number of threads can do it.
  public var takesThreads: Bool { options.contains(Self.threadsOption) }
}

/// The schedule of a workload that is about keeping to one.
public struct Pace: Sendable, Equatable {
  /// Operations per second.
  public var rate: Double
  /// The fewest operations of a timed part of any length: shares of a handful mean nothing.
  public var operations: Int

  /// A screen's 60 frames a second, for half a second.
  public static let frames = Pace(rate: 60, operations: 30)
}
