import Foundation
import StorageReport
import StorageTrial

/// The limit after which a child process is killed if it has not answered.
enum LaunchLimit: Sendable, Equatable {
  /// A limit of the whole duration in nanoseconds, for timed processes, which stop by themselves.
  case duration(Int64)
  /// A limit of the time without activity in nanoseconds, for processes that count or build a store, which take as long
  /// as the disk needs.
  case silence(Int64)

  /// The limit of ten minutes without activity. The longest time without activity is that of a library call that only
  /// computes. To import 100,000 records through `NSKeyedArchiver` and verify them took 47 s in all on a busy machine
  /// of two processors, and a process with ten times as many records must not be killed. A process that waits forever
  /// is usually found sooner, by the timed trials before it: see `--cell-limit`.
  static let usualSilence = LaunchLimit.silence(600_000_000_000)

  /// The nanoseconds that a child process may take to prepare its store, while other children prepare theirs on the
  /// same disk; nil if the activity of the process is observed instead.
  var preparing: Int64? {
    switch self {
    case .duration(let limit): limit * Int64(Parallelism.besideNoClock)
    case .silence: nil
    }
  }

  /// Waits until a child process, which works in this directory, must be killed, or until the task is cancelled.
  func wait(directory: String) async throws {
    switch self {
    case .duration(let limit): try await Task.sleep(nanoseconds: UInt64(limit))
    case .silence(let limit):
      let clock = ContinuousClock()
      var (last, since) = (ChildActivity(directory: directory), clock.now)
      while clock.now - since < .nanoseconds(limit) {
        try await Task.sleep(nanoseconds: UInt64(min(limit / 10, 1_000_000_000)))
        let signs = ChildActivity(directory: directory)
        if signs != last { (last, since) = (signs, clock.now) }
      }
    }
  }

  /// The sentence for the user about a child process that was killed at the limit.
  var sentence: String {
    switch self {
    case .duration(let limit):
      "took longer than the limit of \(NumberFormat.time(Double(limit))) and was killed; a higher --cell-limit gives it more"
    case .silence(let limit):
      "was silent for \(NumberFormat.time(Double(limit))) and was killed: no operation ended, nothing was read or written"
    }
  }
}

/// The signs that a child process is active: the number of its finished operations, and the kernel's counts of its
/// reads and writes. The kernel's counts are needed because one operation may save a thousand times.
struct ChildActivity: Equatable {
  private let steps: Int64?
  private let traffic: [UInt64]?

  /// Reads the signs of activity of the child process that works in this directory.
  init(directory: String) {
    let told = StepCounter.read(in: directory)
    steps = told?.steps
    traffic = told.flatMap { Linux.traffic(of: $0.process) }
  }
}
