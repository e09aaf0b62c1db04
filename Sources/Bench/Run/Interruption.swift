import CStorageInstrument
import Dispatch
import Foundation
import StorageRunFiles

/// The handling of SIGINT, SIGTERM and SIGHUP, which end the running measurement. Existing results are kept.
enum Interruption {
  /// The seconds after a signal at which the process exits, even if its task has not ended.
  private static let patience = 4.0
  private static let watcher = Watcher()

  /// Starts to handle SIGINT, SIGTERM and SIGHUP, which interrupt the program.
  static func watch() { watcher.start() }

  /// Runs `body` in a task that SIGINT, SIGTERM and SIGHUP cancel, even if the signal came before the task began.
  ///
  /// - Throws: `CancellationError` after a signal; the errors of `body`.
  static func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await body() }
    let number = watcher.add { task.cancel() }
    defer { watcher.remove(number) }
    let result = try await task.value
    if task.isCancelled { throw CancellationError() }
    return result
  }

  /// Lets `body` finish after a signal such as SIGINT, but only within a few seconds. After that time, the process
  /// exits.
  static func postponed<Result>(_ body: () async throws -> Result) async throws -> Result {
    let number = watcher.add {}
    defer { watcher.remove(number) }
    return try await body()
  }

  private static func end() -> Never {
    Remains.removeAll()
    StandardError.write("\(Program.name): interrupted\n")
    _exit(ExitStatus.interrupted)
  }

  /// A receiver of signals with a separate dispatch queue, so that a thread is always free for a signal.
  private final class Watcher: @unchecked Sendable {
    private let queue = DispatchQueue(label: "interruption")
    private let lock = NSLock()
    private var source: (any DispatchSourceRead)?
    private var cancelling: [Int: @Sendable () -> Void] = [:]
    private var last = 0
    private var hasHeard = false

    func start() {
      lock.withLock {
        guard source == nil else { return }
        // SIGHUP stays ignored if the process was started with `nohup`.
        var before = sigaction()
        sigaction(SIGHUP, nil, &before)
        let ignoresHangup = unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1
        let signals = [SIGINT, SIGTERM] + (ignoresHangup ? [] : [SIGHUP])
        // A dispatch source for signals would lose a signal that comes before the source is ready, so a pipe is used.
        let pipe = ci_watch_signals(signals, Int32(signals.count))
        guard pipe >= 0 else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: pipe, queue: queue)
        source.setEventHandler { [self] in
          var bytes = [UInt8](repeating: 0, count: 16)
          if read(pipe, &bytes, bytes.count) > 0 { hear() }
        }
        source.resume()
        self.source = source
        // If the reader of standard output closes the pipe, SIGPIPE must not end the process without a message.
        signal(SIGPIPE, SIG_IGN)
      }
    }

    func add(_ cancel: @escaping @Sendable () -> Void) -> Int {
      let (number, isLate) = lock.withLock {
        last += 1
        cancelling[last] = cancel
        return (last, hasHeard)
      }
      if isLate { cancel() }
      return number
    }

    func remove(_ number: Int) { lock.withLock { cancelling[number] = nil } }

    private func hear() {
      let cancels = lock.withLock {
        hasHeard = true
        return Array(cancelling.values)
      }
      guard !cancels.isEmpty else { Interruption.end() }
      for cancel in cancels { cancel() }
      queue.asyncAfter(deadline: .now() + Interruption.patience) { Interruption.end() }
    }
  }
}
