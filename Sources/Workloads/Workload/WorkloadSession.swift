import StorageContract

/// The operations of a workload in one trial: `setUp`, then `prepare`, `perform` and `verify` for each block of
/// operations, then `finish`. Only `perform` is timed.
public protocol WorkloadSession: AnyObject {
  /// The maximum number of operations that a timed trial prepares and verifies at once, as a block.
  var blockSize: Int { get }
  /// The maximum number of operations of the session, or nil if the number is unlimited.
  var limit: Int? { get }
  /// The settings of the open store in the form that the backend gives, such as `journal_mode=wal`.
  var settings: String { get }

  /// Opens the store before the first operation.
  func setUp() throws
  /// Prepares a block of operations, untimed: makes the data that an app would already have, such as records.
  func prepare(_ operations: Range<Int>) throws
  /// Performs the operation with the given number, counted from 0, with the data that ``prepare(_:)`` has made.
  func perform(_ operation: Int) throws
  /// Performs several operations, and calls `lap` after each operation, so that the caller can time each one.
  func perform(_ operations: Range<Int>, lap: () -> Void) throws
  /// Verifies everything that the operations of a block read.
  ///
  /// - Throws: ``VerificationError`` that names the wrong record's key.
  func verify(_ operations: Range<Int>) throws
  /// Lets the engine finish deferred work, such as a checkpoint, and closes the store.
  func finish() throws

  /// The kinds of operations by which the report divides latencies, such as `read`. Empty if latencies are not divided.
  var kinds: [String] { get }
  /// Returns the kind of a prepared operation, as an index in ``kinds``.
  func kind(of operation: Int) -> Int
  /// Whether the session itself times its operations, because an operation may end in another process or thread.
  var measuresItself: Bool { get }
  /// Returns the duration of an operation in nanoseconds, or nil if ``measuresItself`` is false.
  func ownDuration(of operation: Int) -> Int64?
  /// Returns the processor time, in nanoseconds, of the process that an operation launched. Nil if no process was
  /// launched or the time is unknown.
  func ownProcessorTime(of operation: Int) -> Int64?
  /// The total time, in nanoseconds, that launched processes waited for a free processor, or nil if unknown.
  var launchedWait: Int64? { get }
  /// Returns the total time, in nanoseconds, of a range of operations that ran concurrently. Nil if the operations ran
  /// one after the other.
  func ownElapsed(of operations: Range<Int>) -> Int64?
  /// Returns whether an operation certainly ends with a commit, so that the commit's safety level can be checked. False
  /// if the session itself reports its commits by ``SessionContext/acknowledged``.
  func endsInSave(_ operation: Int) -> Bool
  /// Returns the number of bytes that the first `operations` operations change, without the engine's overhead.
  func bytesChanged(by operations: Int) -> Int
  /// Returns the expected content of the store after the first `operations` operations.
  func expectation(after operations: Int) throws -> Expectation
  /// Additional figures for the report, valid after ``finish()``.
  var findings: [Finding] { get }
  /// Adds the input of an operation to a hash. Runs with equal hashes performed the same operations.
  func hash(_ operation: Int, into hash: inout StableHash)
}

extension WorkloadSession {
  public var limit: Int? { nil }
  public var kinds: [String] { [] }
  public func kind(of operation: Int) -> Int { 0 }
  public var measuresItself: Bool { false }
  public func ownDuration(of operation: Int) -> Int64? { nil }
  public func ownProcessorTime(of operation: Int) -> Int64? { nil }
  public var launchedWait: Int64? { nil }
  public func ownElapsed(of operations: Range<Int>) -> Int64? { nil }
  public func endsInSave(_ operation: Int) -> Bool { true }
  public func perform(_ operations: Range<Int>, lap: () -> Void) throws {
    for operation in operations {
      try perform(operation)
      lap()
    }
  }
  public func verify(_ operations: Range<Int>) throws {}
  public func bytesChanged(by operations: Int) -> Int { 0 }
  public var findings: [Finding] { [] }

  /// A hash of the inputs of up to 256 operations, beginning with the first. Sessions with equal hashes perform the
  /// same operations.
  public var streamHash: String {
    var hash = StableHash()
    for operation in 0..<min(256, limit ?? 256) where hash.length < 256 << 10 { self.hash(operation, into: &hash) }
    return hash.text
  }
}

/// The store of a session, open from ``WorkloadSession/setUp()`` to ``WorkloadSession/finish()``.
class SessionStore {
  final let context: SessionContext
  final var store: (any StorageBackend)?
  /// The record fields of which the store has an index, which is checked at the end.
  final let indexedFields: [RecordField]

  init(_ context: SessionContext, indexedFields: [RecordField] = []) {
    self.context = context
    self.indexedFields = indexedFields
  }

  /// Closes the store without waiting for deferred work of the engine, such as a checkpoint.
  final func close() throws {
    try store.map(context.close)
    store = nil
  }
}

/// A session with one store, which one thread uses.
protocol StoreSession: SessionStore, WorkloadSession {}

extension StoreSession {
  var settings: String { store?.settings ?? "" }

  func setUp() throws { store = try context.open(indexing: indexedFields) }

  func prepare(_ operations: Range<Int>) {}

  /// Returns the content of the initial store. Sessions whose operations change the store must replace this method.
  func expectation(after operations: Int) -> Expectation { Expectation(context.fixture) }

  func finish() throws {
    guard let store else { return }
    if context.isVerifiable { try SecondaryIndexes.check(indexedFields, of: store) }
    try store.settle()
    try close()
  }

  /// Adds the number of initial records, which is the input of operations that are all alike.
  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(UInt64(context.source.count)) }
}

/// A session that knows the changes that each operation makes. The expected content of the store is derived from these
/// changes.
protocol ChangingSession: StoreSession {
  /// Returns the changes that an operation makes. The same operation number always gives the same changes.
  func changes(_ operation: Int) -> [Change]
}

extension ChangingSession {
  func expectation(after operations: Int) -> Expectation {
    Expectation(context.fixture).after((0..<operations).lazy.flatMap(changes))
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    for change in changes(operation) {
      switch change.action {
      case .put(let record, _): record.withView { hash.add($0) }
      case .delete(let key, _): hash.add(UInt64(bitPattern: key))
      }
    }
  }
}

/// The inputs of a block of successive operations, prepared before the operations are timed.
struct Block<Item> {
  private var items: [Item] = []
  private var start = 0

  init() {}

  init(_ operations: Range<Int>, _ item: (Int) throws -> Item) rethrows {
    items = try operations.map(item)
    start = operations.lowerBound
  }

  func index(of operation: Int) -> Int { operation - start }

  subscript(operation: Int) -> Item { items[operation - start] }

  var last: Item? { items.last }
  var operations: Range<Int> { start..<start + items.count }
}

/// An error about wrong content of a store, such as a missing record.
public struct VerificationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The key of the wrong record, or nil if the error is not about a single record.
  public let key: Int64?
  /// The error message, including the key of the wrong record.
  public let description: String

  /// Creates an error from the key of a record (or nil) and a text such as "is missing".
  public init(key: Int64? = nil, _ what: String) {
    self.key = key
    description = key.map { "record \($0) \(what)" } ?? what
  }
}
