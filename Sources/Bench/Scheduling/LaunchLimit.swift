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
    if case .duration(let limit) = self { limit * Int64(Parallelism.besideNoClock) } else { nil }
  }

  func wait(directory: String) async throws {
    switch self {
    case .duration(let limit): try await Task.sleep(nanoseconds: UInt64(limit))
    case .silence(let limit):
      let clock = ContinuousClock()
      var (last, since) = (Self.activity(in: directory), clock.now)
      while clock.now - since < .nanoseconds(limit) {
        try await Task.sleep(nanoseconds: UInt64(min(limit / 10, 1_000_000_000)))
        let signs = Self.activity(in: directory)
        if signs != last { (last, since) = (signs, clock.now) }
      }
    }
  }

  /// Returns counters of a child process: its finished operations, and the calls and bytes of its reads and writes. Any
  /// such activity changes a counter.
  static func activity(in directory: String) -> [UInt64] {
    guard let told = StepCounter.read(in: directory) else { return [] }
    return [UInt64(bitPattern: told.steps)] + (Linux.traffic(of: told.process) ?? [])
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
