import Dispatch
import Foundation
import Synchronization

/// Work that all processors share.
package enum Processors {
  /// Calls the body with 0 and up to a count, in no order and side by side, and waits.
  ///
  /// A call within a call is shared, too. Each has threads of its own: `concurrentPerform` gives an inner call no thread
  /// that the outer one has, on two processors none at all, and a pool's threads may all be waiting here.
  ///
  /// - Returns: What the calls came to, in their order.
  package static func map<Value: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Value) -> [Value] {
    let work = Work(count, body)
    for _ in 1..<max(1, min(count, ProcessInfo.processInfo.activeProcessorCount)) {
      Thread.detachNewThread { work.help() }
    }
    work.help()
    return work.results()
  }

  private final class Work<Value: Sendable>: Sendable {
    private struct State {
      /// Gone with the last call that is begun: a helper that comes late would keep all that it holds until then.
      var body: (@Sendable (Int) -> Value)?
      var next = 0
      var left: Int
      var values: [Value?]
    }
    private let state: Mutex<State>
    private let isDone = DispatchSemaphore(value: 0)

    init(_ count: Int, _ body: @escaping @Sendable (Int) -> Value) {
      state = Mutex(State(body: body, left: count, values: Array(repeating: nil, count: count)))
      if count == 0 { isDone.signal() }
    }

    /// Does what nobody has begun yet. Whoever comes late finds nothing.
    func help() {
      while let (body, place) = begun() {
        let value = body(place)
        let isLast = state.withLock { state in
          state.values[place] = value
          state.left -= 1
          return state.left == 0
        }
        if isLast { isDone.signal() }
      }
    }

    private func begun() -> (body: @Sendable (Int) -> Value, place: Int)? {
      state.withLock { state in
        guard state.next < state.values.count, let body = state.body else { return nil }
        defer { state.next += 1 }
        if state.next == state.values.count - 1 { state.body = nil }
        return (body, state.next)
      }
    }

    /// Waits for those who are still at it.
    func results() -> [Value] {
      isDone.wait()
      return state.withLock { state in
        defer { state.values = [] }
        return state.values.compactMap { $0 }
      }
    }
  }
}
