import StorageContract

/// The state of one trial of a workload: the operations, the open store and the expected content.
///
/// The caller keeps this order: ``setUp()``; for each block ``prepare(_:)``, ``perform(_:)`` for each operation and
/// ``verify(_:)``; finally ``finish()``. Only `perform` is timed and counted.
public protocol WorkloadSession: AnyObject {
  /// The maximum number of operations in a block of a timed pass.
  var blockSize: Int { get }
  /// The number of available operations, or nil if it is unlimited.
  var limit: Int? { get }
  /// The settings of the open store, as the backend names them.
  var settings: String { get }

  /// Opens the store.
  func setUp() throws
  /// Prepares data that an app would already have: keys, records, an empty store.
  func prepare(_ operations: Range<Int>) throws
  /// Performs one operation of the prepared block.
  func perform(_ operation: Int) throws
  /// Performs operations of the prepared block in order and calls `lap` after each. Sessions whose operations take
  /// nanoseconds implement this method to do common work once per block. By default it calls ``perform(_:)``.
  func perform(_ operations: Range<Int>, lap: () -> Void) throws
  /// Verifies everything that the block's operations read.
  ///
  /// - Throws: ``VerificationError`` that names the key.
  func verify(_ operations: Range<Int>) throws
  /// Lets the engine finish deferred work, and closes the store.
  func finish() throws

  /// The names of the kinds of operations, if their latencies are reported separately; otherwise empty.
  var kinds: [String] { get }
  /// Returns the index in ``kinds`` of an operation of the prepared block.
  func kind(of operation: Int) -> Int
  /// Whether the session times operations, as they end in another process or thread. It then gets whole blocks.
  var measuresItself: Bool { get }
  /// Returns the duration of the operation in nanoseconds if ``measuresItself`` is true; otherwise nil.
  func ownDuration(of operation: Int) -> Int64?
  /// Returns the processor time of the operation in nanoseconds if another process performed it; otherwise nil.
  func ownProcessorTime(of operation: Int) -> Int64?
  /// The nanoseconds that launched processes waited for a processor so far; nil if the session launches none.
  var launchedWait: Int64? { get }
  /// Returns the duration of a block in nanoseconds, for its throughput, if operations run concurrently; otherwise nil.
  func ownElapsed(of operations: Range<Int>) -> Int64?
  /// Returns whether an operation ends with an acknowledged change, which must be as safe as the level requires. False
  /// for operations that only read, are rolled back, or continue after their last commit. The latter report each commit
  /// with ``SessionContext/acknowledged``.
  func endsInSave(_ operation: Int) -> Bool
  /// Returns the logical bytes that the first operations change.
  func bytesChanged(by operations: Int) -> Int
  /// Returns the expected content of the store after the first operations.
  func expectation(after operations: Int) throws -> Expectation
  /// Results of the session beyond the figures that every workload has. Valid after ``finish()``.
  var findings: [Finding] { get }
  /// Adds an operation to a hash, which shows whether two runs performed the same operations.
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

  /// The hash of the first 256 operations, or of fewer once 256 KiB are hashed (one if each has thousands of records).
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

  /// Closes the store without letting the engine finish deferred work, as in sessions that only read.
  func close() throws {
    try store.map(context.close)
    store = nil
  }
}

/// The prepared input of a block of operations.
struct Block<Item> {
  private var items: [Item] = []
  private var start = 0

  init() {}

  init(_ operations: Range<Int>, _ item: (Int) throws -> Item) rethrows {
    items = try operations.map(item)
    start = operations.lowerBound
  }

  /// Returns the index of an operation in the block, and in the results of the block.
  func place(of operation: Int) -> Int { operation - start }

  subscript(operation: Int) -> Item { items[operation - start] }

  var last: Item? { items.last }
  var end: Int { start + items.count }
}

/// An error about a record that was read, or found in the store at the end, and is not the expected one.
public struct VerificationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The key, or nil if the error is not about a single record.
  public let key: Int64?
  /// The error message, including the key.
  public let description: String

  /// Creates an error about a key.
  public init(key: Int64?, _ what: String) {
    self.key = key
    description = key.map { "record \($0) \(what)" } ?? what
  }
}
