import CStorageInstrument
import Dispatch
import Foundation
import StorageRunFiles
import Synchronization

/// The handling of SIGINT, SIGTERM and SIGHUP, which end the running measurement. Existing results are kept.
enum Interruption {
  /// The seconds after a signal at which the process exits, even if its task has not ended.
  private static let patience = 4.0
  /// The receiver of signals has a separate dispatch queue, so that a thread is always free for a signal.
  private static let queue = DispatchQueue(label: "interruption")
  private static let state = Mutex(State())

  private struct State {
    var source: (any DispatchSourceRead)?
    var cancelling: [Int: @Sendable () -> Void] = [:]
    var last = 0
    var hasHeard = false
  }

  static func watch() {
    state.withLock { state in
      guard state.source == nil else { return }
      // SIGHUP stays ignored if the process was started with `nohup`.
      var before = sigaction()
      sigaction(SIGHUP, nil, &before)
      let ignoresHangup = unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1
      let signals = [SIGINT, SIGTERM] + (ignoresHangup ? [] : [SIGHUP])
      // A dispatch source for signals would lose a signal that comes before the source is ready, so a pipe is used.
      let pipe = ci_watch_signals(signals, Int32(signals.count))
      guard pipe >= 0 else { return }
      let source = DispatchSource.makeReadSource(fileDescriptor: pipe, queue: queue)
      source.setEventHandler {
        var bytes = [UInt8](repeating: 0, count: 16)
        if read(pipe, &bytes, bytes.count) > 0 { hear() }
      }
      source.resume()
      state.source = source
      // If the reader of standard output closes the pipe, SIGPIPE must not end the process without a message.
      signal(SIGPIPE, SIG_IGN)
    }
  }

  private static func add(_ cancel: @escaping @Sendable () -> Void) -> Int {
    let (number, isLate) = state.withLock { state in
      state.last += 1
      state.cancelling[state.last] = cancel
      return (state.last, state.hasHeard)
    }
    if isLate { cancel() }
    return number
  }

  private static func remove(_ number: Int) { state.withLock { $0.cancelling[number] = nil } }

  private static func hear() {
    let cancels = state.withLock { state in
      state.hasHeard = true
      return Array(state.cancelling.values)
    }
    guard !cancels.isEmpty else { end() }
    for cancel in cancels { cancel() }
    queue.asyncAfter(deadline: .now() + patience) { end() }
  }

  /// Runs `body` in a task that SIGINT, SIGTERM and SIGHUP cancel, even if the signal came before the task began. With
  /// `consequence`, such as `nothing was judged`, a cancellation is thrown as a failure that names it.
  static func cancelling<Result: Sendable>(
    _ consequence: String? = nil, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await body() }
    let number = add { task.cancel() }
    defer { remove(number) }
    do {
      let result = try await task.value
      if task.isCancelled { throw CancellationError() }
      return result
    } catch let error as CancellationError {
      guard let consequence else { throw error }
      throw ExitStatus.Failure(ExitStatus.interrupted, "interrupted; \(consequence)")
    }
  }

  /// Lets `body` finish after a signal such as SIGINT, but only within a few seconds. After that time, the process
  /// exits.
  static func postponed<Result>(_ body: () async throws -> Result) async throws -> Result {
    let number = add {}
    defer { remove(number) }
    return try await body()
  }

  private static func end() -> Never {
    Remains.removeAll()
    StandardError.write("\(Program.name): interrupted\n")
    _exit(ExitStatus.interrupted)
  }
}
