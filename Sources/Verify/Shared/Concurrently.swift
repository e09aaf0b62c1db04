import Dispatch
import Synchronization

/// Calls `body` concurrently with the numbers from 0 to `count` - 1. Returns the results in this order. If calls fail,
/// throws the error of the call with the smallest number.
func concurrently<Part: Sendable>(_ count: Int, _ body: @Sendable (Int) throws -> Part) throws -> [Part] {
  let results = Mutex<[Int: Result<Part, any Error>]>([:])
  DispatchQueue.concurrentPerform(iterations: count) { index in
    let result = Result { try body(index) }
    results.withLock { $0[index] = result }
  }
  let all = results.withLock { $0 }
  return try (0..<count).compactMap { try all[$0]?.get() }
}
