import Dispatch
import Foundation

/// Ctrl-C and its kin: end the running trial, keep what there is.
enum Interruption {
  /// Runs a body that is cancelled by SIGINT, SIGTERM or SIGHUP.
  static func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await body() }
    // A queue of its own has a thread even where all others are busy.
    let queue = DispatchQueue(label: "interruption")
    let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      // The default action would end the process before the dispatch source hears of it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { task.cancel() }
      source.resume()
      return source
    }
    defer { sources.forEach { $0.cancel() } }
    let result = try await task.value
    if task.isCancelled { throw CancellationError() }
    return result
  }
}
