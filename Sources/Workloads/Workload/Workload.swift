import StorageContract

/// What is done to a store: a small type in a file of its own, registered with one line.
///
/// A workload says what one operation is; the measuring side decides how many are done, when the clock runs and
/// what is counted. It knows no backend: whatever conforms to ``StorageBackend`` can run it.
public protocol Workload: Sendable {
  /// Id, question, options.
  static var description: WorkloadDescription { get }

  /// Creates the workload with its options.
  init(options: Options)

  /// How many operations the cost pass counts: a number fixed by the workload, N and the engine's kind, the same
  /// on every machine, so that counts can be compared with `==`.
  func countedOperations(records: Int, kind: EngineKind) -> Int

  /// What its stores hold at the start, made of N records; what is put into them, where the workload starts empty.
  /// The records themselves, unless it says otherwise. ``SessionContext/source`` is its first collection.
  func fixture(of source: any RecordSource) throws -> Fixture
  /// What tells its fixtures from those of other workloads with the same records: fixtures of one name hold the same,
  /// and are built once. The names of the collections, unless it says otherwise.
  var fixtureName: String { get }

  /// One trial's worth of the workload.
  func session(_ context: SessionContext) throws -> any WorkloadSession
}

/// What a workload is, for `list`, for plans and for reports.
public struct WorkloadDescription: Sendable {
  /// Whether the workload changes the store. Rows that only read carry no durability.
  public enum Access: Sendable {
    case reads
    case writes
  }

  /// The name on the command line.
  public var id: String
  /// The question that it answers, in one sentence.
  public var question: String
  /// What one operation does.
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
  /// What it needs beyond the required members, or nil; options may change it. A row is native where the backend has it.
  public var capability: @Sendable (Options) -> Capability?
  /// The schedule that it keeps to, or nil where operations follow one another, or ``Pace`` is the user's.
  public var pace: Pace?
  /// Refuses options that are right each for itself and not together, with a `UsageError`.
  public var check: @Sendable (Options) throws -> Void
  /// Why a backend cannot do this at all, not even emulated, or nil. Options may change it.
  public var obstacle: @Sendable (Options, any StorageBackend.Type) -> String?
  /// The names of its stores' collections. One that keeps links comes last.
  public var collections: [String]

  /// Describes a workload.
  ///
  /// - Parameters:
  ///   - accessWith: Whether it changes the store, where options change that.
  ///   - capability: What it needs whatever its options are, or nil.
  ///   - capabilityWith: The same where options change it; takes the place of `capability`.
  public init(
    id: String, question: String, operation: String, options: [OptionSpec] = [], access: Access,
    accessWith: (@Sendable (Options) -> Access)? = nil, startsEmpty: Bool = false, records: Int? = nil,
    cache: CacheState? = nil, needsPersistence: Bool = false, capability: Capability? = nil,
    capabilityWith: (@Sendable (Options) -> Capability?)? = nil, collections: [String] = ["records"],
    pace: Pace? = nil, check: @escaping @Sendable (Options) throws -> Void = { _ in },
    obstacle: @escaping @Sendable (Options, any StorageBackend.Type) -> String? = { _, _ in nil }
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
  }

  /// Whether the workload changes the store with these options.
  public func access(_ options: Options) -> Access { accessWith?(options) ?? access }
}

extension WorkloadDescription {
  /// The option of workloads that any number of threads can do: ``Cell/threads``, which `--threads` sets for all.
  public static let threadsOption = OptionSpec("threads", .number(1), help: "threads that work at once, as --threads")

  /// Whether any number of threads can do it.
  public var takesThreads: Bool { options.contains(Self.threadsOption) }
}

extension Workload {
  public func fixture(of source: any RecordSource) throws -> Fixture { Fixture(source) }
  public var fixtureName: String { Self.description.collections.joined(separator: "-") }

  /// Operations after which the logical state is hashed: the first 8, or 2 where N is over 1,000, or all where
  /// the cost pass of some kind of engine has fewer. The same for every backend, so that digests must agree.
  public func digestedOperations(records: Int) -> Int {
    [EngineKind.page, .wholeFile, .memory].map { countedOperations(records: records, kind: $0) }
      .reduce(records > 1_000 ? 2 : 8, min)
  }
}

/// What one trial of a workload holds: the operation stream, the open store, and what was expected of it.
///
/// The caller keeps to this order: ``setUp()``; then blocks of ``prepare(_:)``, ``perform(_:)`` for each operation
/// of the block, ``verify(_:)``; at the end ``finish()``. Only `perform` is timed, and counted.
public protocol WorkloadSession: AnyObject {
  /// The longest block that the session can prepare at once in a timed pass.
  var blockSize: Int { get }
  /// The number of operations that the stream has, or nil if it has no end.
  var limit: Int? { get }
  /// The settings of the open store, in its own words.
  var settings: String { get }

  /// Opens the store.
  func setUp() throws
  /// Makes ready what the operations need that an app would have at hand: keys, records, an empty store.
  func prepare(_ operations: Range<Int>) throws
  /// Does one operation of the prepared block.
  func perform(_ operation: Int) throws
  /// Does operations of the prepared block in order, calling `lap` after each. Sessions whose operations take
  /// nanoseconds implement it, so that what can be is done once for the block; the default calls
  /// ``perform(_:)``.
  func perform(_ operations: Range<Int>, lap: () -> Void) throws
  /// Checks everything that the block's operations read.
  ///
  /// - Throws: ``VerificationError`` naming the key.
  func verify(_ operations: Range<Int>) throws
  /// Lets the engine do what it put off, and closes the store.
  func finish() throws

  /// The names of the kinds of operations, where a workload has several whose latencies are told apart; else empty.
  var kinds: [String] { get }
  /// Which of ``kinds`` an operation of the prepared block is, by its place.
  func kind(of operation: Int) -> Int
  /// Whether the session times its operations itself, since they end in another process or on other threads. It is then
  /// handed whole blocks.
  var measuresItself: Bool { get }
  /// How long the operation took, in nanoseconds, where ``measuresItself`` says so; else nil.
  func ownDuration(of operation: Int) -> Int64?
  /// How long the operations of a block took together, in nanoseconds, where several are under way at once; nil where
  /// one comes after the other. Throughput is by this time.
  func ownElapsed(of operations: Range<Int>) -> Int64?
  /// Logical bytes that the first operations change.
  func bytesChanged(by operations: Int) -> Int
  /// What the store must hold after the first operations.
  func expectation(after operations: Int) throws -> Expectation
  /// Adds what operation number `operation` does to a hash, so that two runs can tell that they did the same.
  func hash(_ operation: Int, into hash: inout StableHash)
}

extension WorkloadSession {
  public var kinds: [String] { [] }
  public func kind(of operation: Int) -> Int { 0 }
  public var measuresItself: Bool { false }
  public func ownDuration(of operation: Int) -> Int64? { nil }
  public func ownElapsed(of operations: Range<Int>) -> Int64? { nil }
  public func perform(_ operations: Range<Int>, lap: () -> Void) throws {
    for operation in operations {
      try perform(operation)
      lap()
    }
  }
  public func verify(_ operations: Range<Int>) throws {}
  public func bytesChanged(by operations: Int) -> Int { 0 }

  /// Hash of the first operations of the stream: 256, or as many as come to 256 KiB, which is one where each of them
  /// changes thousands of records.
  public var streamHash: String {
    var hash = StableHash()
    for operation in 0..<min(256, limit ?? 256) where hash.length < 256 << 10 { self.hash(operation, into: &hash) }
    return hash.text
  }
}

/// Something that was read, or was found in the store at the end, is not what it should be.
public struct VerificationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The key concerned, or nil where it concerns all.
  public let key: Int64?
  /// What is wrong, naming the key.
  public let description: String

  /// Creates an error about a key.
  public init(key: Int64?, _ what: String) {
    self.key = key
    description = key.map { "record \($0) \(what)" } ?? what
  }
}
