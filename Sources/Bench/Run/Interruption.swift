import Dispatch
import Foundation
import StorageRunFiles

/// Ctrl-C and its kin: end the running trial, keep what there is.
enum Interruption {
  /// Seconds that a cancelled body has to end.
  private static let patience = 4.0
  private static let watcher = Watcher()

  /// Has SIGINT, SIGTERM and SIGHUP end this process, whatever it is doing: what is cancelled by
  /// ``cancelling(_:)`` ends by itself, and anything else, or what takes too long, is ended here.
  static func watch() { watcher.start() }

  /// Runs a body that is cancelled by SIGINT, SIGTERM or SIGHUP.
  static func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    watch()
    let task = Task { try await body() }
    let number = watcher.add { task.cancel() }
    defer { watcher.remove(number) }
    let result = try await task.value
    if task.isCancelled { throw CancellationError() }
    return result
  }

  /// Ends the process with what it has made for itself removed.
  private static func end() -> Never {
    Remains.removeAll()
    StandardError.write("\(Program.name): interrupted\n")
    _exit(ExitStatus.interrupted)
  }

  /// Receives signals on a queue of its own, so that a thread is free for them.
  private final class Watcher: @unchecked Sendable {
    private let queue = DispatchQueue(label: "interruption")
    private let lock = NSLock()
    private var sources: [any DispatchSourceSignal] = []
    private var cancelling: [Int: @Sendable () -> Void] = [:]
    private var last = 0

    func start() {
      lock.withLock {
        guard sources.isEmpty else { return }
        // `nohup` has a process ignore that its terminal goes away.
        var before = sigaction()
        sigaction(SIGHUP, nil, &before)
        let ignoresHangup = unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1
        sources = ([SIGINT, SIGTERM] + (ignoresHangup ? [] : [SIGHUP])).map { number in
          // The default action would end the process before the dispatch source hears of it.
          signal(number, SIG_IGN)
          let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
          source.setEventHandler { [self] in hear() }
          source.resume()
          return source
        }
        // A reader of standard output that goes away is no reason to end without a word.
        signal(SIGPIPE, SIG_IGN)
      }
    }

    func add(_ cancel: @escaping @Sendable () -> Void) -> Int {
      lock.withLock {
        last += 1
        cancelling[last] = cancel
        return last
      }
    }

    func remove(_ number: Int) { lock.withLock { cancelling[number] = nil } }

    private func hear() {
      let cancels = lock.withLock { Array(cancelling.values) }
      guard !cancels.isEmpty else { Interruption.end() }
      for cancel in cancels { cancel() }
      queue.asyncAfter(deadline: .now() + Interruption.patience) { Interruption.end() }
    }
  }
}
