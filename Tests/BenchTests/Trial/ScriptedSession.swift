import StorageWorkloads

@testable import StorageTrial

/// The calls of a measuring loop on the clock and the session, in order.
final class CallLog {
  enum Call: Equatable {
    case setUp
    case prepare(Range<Int>)
    case perform(Int)
    case verify(Range<Int>)
    case finish
    case now
    case cpu
    case wait(Int64)
  }

  var calls: [Call] = []

  /// The calls after the measurement of the clock's cost, which reads the clock some thousand times.
  var afterClockCost: [Call] { Array(calls[(calls.firstIndex { $0 != .now } ?? calls.endIndex)...]) }

  /// The calls without the readings of the clock.
  var sessionCalls: [Call] { calls.filter { $0 != .now && $0 != .cpu } }
}

/// A clock that moves only when it is read, when it is waited for, and during operations.
final class ScriptedClock {
  var time: Int64 = 1_000_000
  var cpu: Int64 = 0
}

struct ScriptedTime: TimeSource {
  let clock: ScriptedClock
  let log: CallLog
  /// The nanoseconds of one reading.
  var reading: Int64 = 0

  func now() -> Int64 {
    log.calls.append(.now)
    clock.time += reading
    return clock.time
  }

  func cpu() -> Int64 {
    log.calls.append(.cpu)
    return clock.cpu
  }

  func spin(until time: Int64) { clock.time = max(clock.time, time) }

  /// Uses the processor for half of the wait: a wait that ends on time has to spin at its end.
  func wait(until time: Int64) {
    log.calls.append(.wait(time))
    clock.cpu += max(0, time - clock.time) / 2
    clock.time = max(clock.time, time)
  }
}

/// A session whose operations take as long as the test sets.
final class ScriptedSession: WorkloadSession {
  let blockSize: Int
  let limit: Int?
  let settings = "scripted"
  var measuresItself = false
  /// The nanoseconds of processor time of an operation in another process; nil if it runs in this one.
  var elsewhere: Int64?
  /// The number of operations that run at the same time, if the session measures itself.
  var threads = 1
  /// Returns the nanoseconds of an operation.
  var duration: (Int) -> Int64
  /// The kinds of operations, in rotation.
  var kinds: [String] = []
  /// The nanoseconds of each preparation and verification, which no figure may include.
  var overhead: Int64 = 0
  /// The operation whose verification fails, or nil.
  var wrong: Int?
  private let clock: ScriptedClock
  private let log: CallLog

  init(
    _ clock: ScriptedClock, _ log: CallLog, blockSize: Int = 256, limit: Int? = nil,
    duration: @escaping (Int) -> Int64
  ) {
    self.clock = clock
    self.log = log
    self.blockSize = blockSize
    self.limit = limit
    self.duration = duration
  }

  func setUp() { log.calls.append(.setUp) }

  func prepare(_ operations: Range<Int>) {
    log.calls.append(.prepare(operations))
    clock.time += overhead
    clock.cpu += overhead
  }

  func perform(_ operation: Int) {
    log.calls.append(.perform(operation))
    clock.time += duration(operation)
    clock.cpu += duration(operation) / 2
  }

  func verify(_ operations: Range<Int>) throws {
    log.calls.append(.verify(operations))
    clock.time += overhead
    clock.cpu += overhead
    if let wrong, operations.contains(wrong) { throw VerificationError(key: Int64(wrong), "is wrong") }
  }

  func finish() { log.calls.append(.finish) }

  func kind(of operation: Int) -> Int { kinds.isEmpty ? 0 : operation % kinds.count }

  func ownDuration(of operation: Int) -> Int64? { measuresItself ? duration(operation) / 10 : nil }

  func ownProcessorTime(of operation: Int) -> Int64? { elsewhere }

  func ownElapsed(of operations: Range<Int>) -> Int64? {
    threads > 1 ? operations.reduce(0) { $0 + duration($1) / 10 } / Int64(threads) : nil
  }

  func expectation(after operations: Int) -> Expectation { Expectation(nil) }

  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(UInt64(operation)) }
}
