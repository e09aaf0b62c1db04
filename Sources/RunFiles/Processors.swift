import Dispatch
import Synchronization

/// Work that all processors share.
package enum Processors {
  /// Calls the body with 0 and up to a count, in no order and side by side, and waits.
  ///
  /// - Returns: What the calls came to, in their order.
  package static func map<Value: Sendable>(_ count: Int, _ body: @Sendable (Int) -> Value) -> [Value] {
    let results = Results<Value>(count)
    DispatchQueue.concurrentPerform(iterations: count) { results.set($0, body($0)) }
    return results.all
  }

  private final class Results<Value: Sendable>: Sendable {
    private let values: Mutex<[Value?]>

    init(_ count: Int) { values = Mutex(Array(repeating: nil, count: count)) }

    func set(_ place: Int, _ value: Value) { values.withLock { $0[place] = value } }

    var all: [Value] { values.withLock { $0.compactMap { $0 } } }
  }
}
