import Foundation
import StorageReport
import StorageTrial

/// The time limit after which a child process is killed if it has not answered.
enum LaunchLimit: Sendable, Equatable {
  /// A limit on the total time of a process, in nanoseconds. Used for timed processes.
  case duration(Int64)
  /// A limit on the time in which a process does nothing (no read, write or operation), in nanoseconds. Used for
  /// processes that are not timed.
  case silence(Int64)

  /// The limit for processes that are not timed: ten minutes, because a long library call shows no activity.
  static let usualSilence = LaunchLimit.silence(600_000_000_000)

  /// The limit, in nanoseconds, for preparing the store of a timed process while other processes run. Nil for a process
  /// that is not timed.
  var preparing: Int64? {
    switch self {
    case .duration(let limit): limit * Int64(Parallelism.besideNoClock)
    case .silence: nil
    }
  }

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

  var sentence: String {
    switch self {
    case .duration(let limit):
      "took longer than the limit of \(NumberFormat.time(Double(limit))) and was killed; a higher --cell-limit gives it more"
    case .silence(let limit):
      "was silent for \(NumberFormat.time(Double(limit))) and was killed: no operation ended, nothing was read or written"
    }
  }
}

/// The activity of a child process so far: its finished operations, reads and writes.
struct ChildActivity: Equatable {
  private let steps: Int64?
  private let traffic: [UInt64]?

  init(directory: String) {
    let told = StepCounter.read(in: directory)
    steps = told?.steps
    traffic = told.flatMap { Linux.traffic(of: $0.process) }
  }
}
