import Foundation
import StorageReport
import StorageTrial

/// When a child process is ended before it has answered.
enum LaunchLimit: Sendable, Equatable {
  /// After so many nanoseconds, however far it is: for trials that are timed, which stop by themselves.
  case duration(Int64)
  /// When it has shown no sign of life for so many nanoseconds: for what counts or builds a store, which takes as long
  /// as the disk lets it.
  case silence(Int64)

  /// Ten minutes. What shows no sign for longest is a call of a library that computes. To import 100,000 records through
  /// `NSKeyedArchiver` and verify them took 47 s in all on a busy machine of two processors; ten times as many records
  /// must not be taken for stuck. A process that waits for what never comes is mostly found sooner, by the timed trials
  /// before it, see `--cell-limit`.
  static let usualSilence = LaunchLimit.silence(600_000_000_000)

  /// For how many nanoseconds a child may prepare its store before its turn; nil where it shows signs of life. Others
  /// prepare theirs beside it, on the same disk.
  var preparing: Int64? {
    switch self {
    case .duration(let limit): limit * Int64(Parallelism.besideNoClock)
    case .silence: nil
    }
  }

  /// Waits until a child whose trial has this directory is to be ended, or the task is cancelled.
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

  /// What is said of a child that was ended.
  var sentence: String {
    switch self {
    case .duration(let limit):
      "took longer than the limit of \(NumberFormat.time(Double(limit))) and was killed; a higher --cell-limit gives it more"
    case .silence(let limit):
      "was silent for \(NumberFormat.time(Double(limit))) and was killed: no operation ended, nothing was read or written"
    }
  }
}

/// What shows that a child is getting on: operations that it has told, and what the kernel has read and written for it,
/// since a single operation may save a thousand times.
struct ChildActivity: Equatable {
  private let steps: Int64?
  private let traffic: [UInt64]?

  /// Looks at the child whose trial has this directory.
  init(directory: String) {
    let told = StepCounter.read(in: directory)
    steps = told?.steps
    traffic = told.flatMap { Linux.traffic(of: $0.process) }
  }
}
