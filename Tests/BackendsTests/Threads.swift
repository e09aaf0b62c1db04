import Foundation
import Synchronization

/// Runs a body on new threads at once, waits for all, and throws an error of the body.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
  let group = DispatchGroup()
  let failure = Mutex<(any Error)?>(nil)
  for thread in 0..<count {
    group.enter()
    Thread.detachNewThread {
      do { try body(thread) } catch { failure.withLock { $0 = error } }
      group.leave()
    }
  }
  group.wait()
  if let error = failure.withLock({ $0 }) { throw error }
}
