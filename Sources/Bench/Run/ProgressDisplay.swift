import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageVerify

/// The progress of a run or a crash test: one updated line on a terminal, otherwise a line at most every ten seconds.
final class ProgressDisplay: @unchecked Sendable {
  enum Lines {
    case none, failed, all
  }

  private let isQuiet: Bool
  private let lines: Lines
  private let isTerminal: Bool
  private let lock = NSLock()
  private var isShown = false
  private var lastNotice = Date.distantPast
  /// The backends, levels and faults whose crash tests have ended.
  private var tested: Set<String> = []

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
        if isTerminal {
          let line = "\(Self.bar(done, of: trials))  \(done)/\(trials)  \(left)  \(what)  \(cell.name)"
          let width = Screen.columns(of: STDERR_FILENO) ?? 80
          StandardError.write("\r\u{1B}[K" + String(line.visible.prefix(width - 1)))
          isShown = true
        } else if Date().timeIntervalSince(lastNotice) >= 10 {
          lastNotice = Date()
          StandardError.write("\(done) of \(trials) trials done, \(left)\n")
        }
      case .ended(let trial, let isFirst, _):
        if lines == .all && isFirst || lines != .none && trial.status == .failed {
          let isRed = trial.status == .failed && Screen.hasColours(STDERR_FILENO)
          let line = Self.line(trial).visible
          print(isRed ? "\u{1B}[31m\(line)\u{1B}[0m" : line)
        }
      }
    }
  }

  /// Shows the progress of the test of one fault, of `all` tests.
  func see(_ progress: CrashProgress, of all: Int) {
    guard !isQuiet else { return }
    lock.withLock {
      let name = "\(progress.backend), \(progress.durability.rawValue), \(progress.fault)"
      if progress.done == progress.cases { tested.insert(name) }
      guard -lastNotice.timeIntervalSinceNow > (isTerminal ? 0.1 : 10) else { return }
      lastNotice = Date()
      let line = "\(tested.count)/\(all)  \(name): \(progress.done) of \(progress.cases) cases"
      StandardError.write(isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n")
      isShown = isTerminal
    }
  }

  func clear() { lock.withLock { erase() } }

  private func print(_ line: String) {
    erase()
    StandardError.write(line + "\n")
  }

  private func erase() {
    guard isShown else { return }
    StandardError.write("\r\u{1B}[K")
    isShown = false
  }

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

enum RunEvent: Sendable {
  case began(ProgressEstimate)
  case starting(cell: Cell, pass: Pass, round: Int?, ProgressEstimate)
  /// The end of a trial (measuring process). `isFirst` is true for the first trial of a benchmark.
  case ended(trial: Trial, isFirst: Bool, ProgressEstimate)
}

/// A function that receives the events of a run in order.
typealias RunObserver = @Sendable (RunEvent) -> Void
