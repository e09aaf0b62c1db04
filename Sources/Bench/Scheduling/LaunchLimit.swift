import Foundation
import StorageReport
import StorageTrial

/// The limit after which a child process that has not answered is killed.
enum LaunchLimit: Sendable, Equatable {
  /// A limit of the whole duration in nanoseconds, for timed processes, which stop by themselves.
  case duration(Int64)
  /// A limit of the time without activity in nanoseconds, for processes that count system calls or build a store. They
  /// take as long as the disk needs.
  case silence(Int64)

  /// The limit of ten minutes without activity. A library call that only computes shows no activity. Importing and
  /// verifying 100,000 records with `NSKeyedArchiver` took 47 s on a busy machine of two processors, and ten times as
  /// many records must not reach the limit.
  static let usualSilence = LaunchLimit.silence(600_000_000_000)

  /// The time limit for preparing the store, in nanoseconds. It allows for other processes that prepare stores on the
  /// same disk. Nil if the activity of the process is observed instead.
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

/// The activity of a child process: the number of its finished operations, and the kernel's counts of its reads and
/// writes. The kernel's counts are needed because one operation may save a thousand times.
struct ChildActivity: Equatable {
  private let steps: Int64?
  private let traffic: [UInt64]?

  init(directory: String) {
    let told = StepCounter.read(in: directory)
    steps = told?.steps
    traffic = told.flatMap { Linux.traffic(of: $0.process) }
  }
}
