import Foundation
import StorageVerify

/// The progress display of a crash test: one updated line on a terminal, otherwise a new line at most every ten
/// seconds.
final class CrashDisplay: @unchecked Sendable {
  private let isQuiet: Bool
  private let isTerminal: Bool
  private let all: Int
  private let lock = NSLock()
  private var done: Set<String> = []
  private var lastNotice = Date.distantPast
  private var isShown = false

  init(isQuiet: Bool, faults: Int, _ subjects: Int) {
    self.isQuiet = isQuiet
    all = faults * subjects
    isTerminal = isatty(2) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  func see(_ progress: CrashProgress) {
    guard !isQuiet else { return }
    lock.withLock {
      let name = "\(progress.backend), \(progress.durability.rawValue), \(progress.fault)"
      if progress.done == progress.cases { done.insert(name) }
      guard -lastNotice.timeIntervalSinceNow > (isTerminal ? 0.1 : 10) else { return }
      lastNotice = Date()
      let line = "\(done.count)/\(all)  \(name): \(progress.done) of \(progress.cases) cases"
      StandardError.write(isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n")
      isShown = isTerminal
    }
  }

  func clear() {
    lock.withLock {
      if isShown { StandardError.write("\r\u{1B}[K") }
      isShown = false
    }
  }
}
