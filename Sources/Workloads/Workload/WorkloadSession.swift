import StorageContract

/// A session that runs one trial (a process that measures) of a workload. The session has the operations, the open
/// store and the expected content.
///
/// The caller keeps this order: first ``setUp()``; for each block of operations ``prepare(_:)``, ``perform(_:)`` once
/// per operation, and ``verify(_:)``; at the end ``finish()``. Only `perform` is timed and counted.
public protocol WorkloadSession: AnyObject {
  /// The maximum number of operations that a timed trial prepares and verifies at once, as a block.
  var blockSize: Int { get }
  /// The maximum number of operations of the session, or nil if the number is unlimited.
  var limit: Int? { get }
  /// The settings of the open store, in the words of the backend.
  var settings: String { get }

  /// Opens the store before the first operation.
  func setUp() throws
  /// Prepares the data that an app would have before the operations of a block: keys, records, an empty store.
  func prepare(_ operations: Range<Int>) throws
  /// Performs one operation of the block for which ``prepare(_:)`` was called.
  func perform(_ operation: Int) throws
  /// Performs several prepared operations and calls `lap` after each. By default, it calls ``perform(_:)``. If
  /// operations take nanoseconds, the session implements this method, in order to do common work once per block.
  func perform(_ operations: Range<Int>, lap: () -> Void) throws
  /// Verifies everything that the operations of a block read.
  ///
  /// - Throws: ``VerificationError`` that names the wrong record's key.
  func verify(_ operations: Range<Int>) throws
  /// Lets the engine finish deferred work, and closes the store.
  func finish() throws

  /// The names of the kinds of operations, such as `read`, if reports show latencies by kind; otherwise empty.
  var kinds: [String] { get }
  /// Returns the kind of a prepared operation, as an index in ``kinds``.
  func kind(of operation: Int) -> Int
  /// Whether the session itself times its operations, because an operation may end in another process or thread.
  var measuresItself: Bool { get }
  /// Returns the duration of an operation in nanoseconds as the session has timed it, or nil if ``measuresItself`` is
  /// false.
  func ownDuration(of operation: Int) -> Int64?
  /// Returns the processor time of an operation in nanoseconds, or nil if this process performed the operation.
  func ownProcessorTime(of operation: Int) -> Int64?
  /// The total nanoseconds for which launched processes have waited for a processor so far. Nil if the session launches
  /// none, or if a process did not report its wait.
  var launchedWait: Int64? { get }
  /// Returns the duration of a block in nanoseconds if its operations run concurrently; otherwise nil.
  func ownElapsed(of operations: Range<Int>) -> Int64?
  /// Returns whether an operation ends with an acknowledged commit. If so, the trial checks the durability of this
  /// commit. Returns false if the operation only reads, if it is rolled back, or if it continues after its last commit.
  /// An operation that continues reports each commit with ``SessionContext/acknowledged``.
  func endsInSave(_ operation: Int) -> Bool
  /// Returns the logical bytes that the first `operations` operations change.
  func bytesChanged(by operations: Int) -> Int
  /// Returns the expected content of the store after the first `operations` operations.
  func expectation(after operations: Int) throws -> Expectation
  /// Additional values that the session measures, valid after ``finish()``.
  var findings: [Finding] { get }
  /// Adds the input of an operation to a hash. If two runs performed the same operations, their hashes are equal.
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

  /// The hash of the stream of operations, made of the inputs of the first 256 operations. If the inputs are large,
  /// fewer operations count: the last one is the operation with which the inputs reach 256 KiB.
  public var streamHash: String {
    var hash = StableHash()
    for operation in 0..<min(256, limit ?? 256) where hash.length < 256 << 10 { self.hash(operation, into: &hash) }
    return hash.text
  }
}

/// A session whose store is open from ``WorkloadSession/setUp()`` to ``WorkloadSession/finish()``.
protocol StoreSession: WorkloadSession {
  var context: SessionContext { get }
  var store: (any StorageBackend)? { get set }
}

extension StoreSession {
  var settings: String { store?.settings ?? "" }

  func setUp() throws { store = try context.open() }

  func finish() throws {
    try store?.settle()
    try close()
  }

  /// Closes the store without first letting the engine finish deferred work. That is enough for sessions that only
  /// read.
  func close() throws {
    try store.map(context.close)
    store = nil
  }
}

/// The prepared inputs of a block: successive operations whose inputs are made before the first of them is timed.
struct Block<Item> {
  private var items: [Item] = []
  private var start = 0

  init() {}

  init(_ operations: Range<Int>, _ item: (Int) throws -> Item) rethrows {
    items = try operations.map(item)
    start = operations.lowerBound
  }

  /// Returns the index of an operation's input in the block. The result of the operation has the same index.
  func index(of operation: Int) -> Int { operation - start }

  subscript(operation: Int) -> Item { items[operation - start] }

  var last: Item? { items.last }
  var end: Int { start + items.count }
}

/// An error about a wrong record, which an operation or the final check has read.
public struct VerificationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The key of the wrong record, or nil if the error is not about a single record.
  public let key: Int64?
  /// The error message, including the key of the wrong record.
  public let description: String

  /// Creates an error about the record with a key. If the key is nil, the error is not about a single record.
  public init(key: Int64?, _ what: String) {
    self.key = key
    description = key.map { "record \($0) \(what)" } ?? what
  }
}
