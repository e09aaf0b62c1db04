import StorageContract

/// The state of one trial of a workload: the operation stream, the open store, and the expected content.
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
  /// Prepares data that an app would already have: keys, records, an empty store.
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

  /// The names of the kinds of operations, where a workload has several whose latencies are distinguished; else empty.
  var kinds: [String] { get }
  /// Returns the index in ``kinds`` of an operation of the prepared block.
  func kind(of operation: Int) -> Int
  /// Whether the session times its operations itself, since they end in another process or on other threads. It is then
  /// handed whole blocks.
  var measuresItself: Bool { get }
  /// Returns the duration of the operation in nanoseconds, if ``measuresItself`` is true. Nil otherwise.
  func ownDuration(of operation: Int) -> Int64?
  /// Returns the processor time of the operation, in nanoseconds, where it was another process's; nil where it was this
  /// one's.
  func ownProcessorTime(of operation: Int) -> Int64?
  /// Nanoseconds that processes which the session has launched waited for a processor so far; nil where it launches none.
  var launchedWait: Int64? { get }
  /// Returns the total duration of a block's operations in nanoseconds, if several run at once. Nil if they run in
  /// sequence. Throughput is computed from it.
  func ownElapsed(of operations: Range<Int>) -> Int64?
  /// Returns whether an operation of the prepared block, which has just been performed, ends when a change is
  /// acknowledged: from then on the change must be as safe as the level says. One that only reads, or is rolled back,
  /// does not; one that goes on after its last commit does not either, and tells of each by
  /// ``SessionContext/acknowledged``.
  func endsInSave(_ operation: Int) -> Bool
  /// Logical bytes that the first operations change.
  func bytesChanged(by operations: Int) -> Int
  /// Returns the expected content of the store after the first operations.
  func expectation(after operations: Int) throws -> Expectation
  /// The findings and counts of the session beyond the figures of every row. Read after ``finish()``.
  var findings: [Finding] { get }
  /// Adds what operation number `operation` does to a hash, so that two runs can tell that they did the same.
  func hash(_ operation: Int, into hash: inout StableHash)
}

extension WorkloadSession {
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
  /// The fault, with its key.
  public let description: String

  /// Creates an error about a key.
  public init(key: Int64?, _ what: String) {
    self.key = key
    description = key.map { "record \($0) \(what)" } ?? what
  }
}
