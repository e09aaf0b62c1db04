import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// The progress display of a run: one updated line on a terminal, otherwise a new line at most every ten seconds.
final class ProgressDisplay: RunObserver, @unchecked Sendable {
  /// The result lines that stay on the screen: none, only those of failed measurements, or all.
  enum Lines {
    case none, failed, all
  }

  private let isQuiet: Bool
  private let lines: Lines
  private let isTerminal: Bool
  private let lock = NSLock()
  private var isShown = false
  private var lastNotice = Date.distantPast

  init(isQuiet: Bool, lines: Lines = .none) {
    self.isQuiet = isQuiet
    self.lines = lines
    isTerminal = isatty(2) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  func see(_ event: RunEvent) {
    guard !isQuiet else { return }
    lock.withLock {
      switch event {
      case .began(let progress):
        guard lines != .none, progress.done > 0 else { return }
        print("\(Quantity.counted(progress.total, "trial")), \(progress.done) of them done before")
      case .starting(let cell, let pass, let round, let progress):
        let (done, trials, left) = (progress.done, progress.total, "\(Self.time(progress.secondsLeft)) left")
        let what = pass == .cost ? "counting" : round.map { "round \($0)" } ?? "once"
        move("\(Self.bar(done, of: trials))  \(done)/\(trials)  \(left)  \(what)  \(cell.name)")
        notice("\(done) of \(trials) trials done, \(left)")
      case .ended(let trial, let isFirst, _):
        if lines == .all && isFirst || lines != .none && trial.status == .failed {
          let isRed = trial.status == .failed && Screen.hasColours(STDERR_FILENO)
          let line = Self.line(trial).visible
          print(isRed ? "\u{1B}[31m\(line)\u{1B}[0m" : line)
        }
      }
    }
  }

  func clear() {
    lock.withLock { erase() }
  }

  private func print(_ line: String) {
    erase()
    StandardError.write(line + "\n")
  }

  private func erase() {
    guard isShown else { return }
    StandardError.write("\r\u{1B}[K")
    isShown = false
  }

  private func move(_ line: String) {
    guard isTerminal else { return }
    StandardError.write("\r\u{1B}[K" + String(line.visible.prefix(Self.width - 1)))
    isShown = true
  }

  private func notice(_ line: String) {
    guard !isTerminal, Date().timeIntervalSince(lastNotice) >= 10 else { return }
    lastNotice = Date()
    StandardError.write(line + "\n")
  }

  private static var width: Int { Screen.columns(of: STDERR_FILENO) ?? 80 }

  static func bar(_ done: Int, of trials: Int) -> String {
    let length = 20
    let full = trials > 0 ? min(length, done * length / trials) : 0
    return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: length - full) + "]"
  }

  private static func time(_ seconds: Double) -> String {
    let seconds = Quantity.whole(seconds.rounded(.up))
    return seconds < 100 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
  }

  private static func line(_ trial: Trial) -> String {
    let name = trial.cell.name
    switch trial.status {
    case .failed: return "\(name): FAILED, \(trial.note ?? "")"
    case .skipped, .notAvailable: return "\(name): \(trial.status.rawValue), \(trial.note ?? "")"
    case .ok: break
    }
    var parts: [String] = []
    if let timing = trial.timing { parts.append(NumberFormat.time(timing.p50)) }
    if let cost = trial.cost, let bytes = cost.bytesWrittenSettled, cost.countedOperations > 0 {
      parts.append("\(NumberFormat.bytes(Double(bytes) / Double(cost.countedOperations))) written per operation")
    }
    if parts.isEmpty { parts.append("ok") }
    return "\(name): \(parts.joined(separator: ", "))"
  }
}
