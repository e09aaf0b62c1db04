import Foundation
import StorageReport
import StorageTrial

/// The limit after which a child process that has not answered is killed.
enum LaunchLimit: Sendable, Equatable {
  /// A limit for the whole duration of a timed process, in nanoseconds.
  case duration(Int64)
  /// A limit for the time, in nanoseconds, in which a process shows no activity, such as reads or writes. It is used
  /// for processes that are not timed, because their total duration depends on the speed of the disk.
  case silence(Int64)

  /// The usual limit for processes that are not timed: ten minutes without activity. A library call that only computes
  /// shows no activity, and took 47 s for 100,000 records with `NSKeyedArchiver`.
  static let usualSilence = LaunchLimit.silence(600_000_000_000)

  /// The maximum time, in nanoseconds, in which a timed process must prepare its store while other processes do the
  /// same. Nil for a process that is not timed, which is killed only after a time without activity.
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

/// The activity of a child process so far: its finished operations, reads and writes. Two equal values mean that the
/// process did nothing in between.
struct ChildActivity: Equatable {
  private let steps: Int64?
  private let traffic: [UInt64]?

  init(directory: String) {
    let told = StepCounter.read(in: directory)
    steps = told?.steps
    traffic = told.flatMap { Linux.traffic(of: $0.process) }
  }
}
