import Dispatch
import Synchronization

/// Calls `body` at the same time with each number from 0 to `count` - 1. Returns the results in the order of the
/// numbers. If calls fail, throws the error of the call with the lowest number.
func concurrently<Part: Sendable>(_ count: Int, _ body: @Sendable (Int) throws -> Part) throws -> [Part] {
  let results = Mutex<[Int: Result<Part, any Error>]>([:])
  DispatchQueue.concurrentPerform(iterations: count) { index in
    let result = Result { try body(index) }
    results.withLock { $0[index] = result }
  }
  let all = results.withLock { $0 }
  return try (0..<count).compactMap { try all[$0]?.get() }
}
