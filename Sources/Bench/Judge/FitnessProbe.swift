import CInstrument
import Contract
import Foundation
import Report
import Statistics

/// One look at how quick the machine is right now.
struct ProbeSample: Codable, Sendable, Equatable {
  /// Seconds since 1970.
  var started: Double
  /// Nanoseconds of a fixed number of integer operations.
  var loop: Double
  /// Nanoseconds of writing 1 MiB and syncing it; nil where the directory could not be written.
  var write: Double?
  /// Processor time that the hypervisor gave to others since boot, and all time, in ticks.
  var steal: Double?
  /// See ``steal``.
  var ticks: Double?
}

/// Takes samples. Tests put a scripted one in its place.
protocol MachineSampling: AnyObject {
  func sample() -> ProbeSample
}

/// The machine itself: an integer loop of about 50 ms, and 1 MiB written and synced where the stores lie.
final class FitnessProbe: MachineSampling {
  private let path: String
  /// Steps of the loop, found out at the first sample.
  private var steps: Int?
  private let block = [UInt8](repeating: 0xA5, count: 1 << 20)
  /// What the loops came to, so that they are not optimized away.
  private(set) var sum: UInt64 = 0

  /// - Parameter directory: Where the stores lie.
  init(directory: String) { path = "\(directory)/.fitness-probe" }

  deinit { unlink(path) }

  func sample() -> ProbeSample {
    let steps = self.steps ?? calibrated()
    self.steps = steps
    let started = Date().timeIntervalSince1970
    let time = loop(steps)
    let ticks = Linux.processorTicks
    return ProbeSample(
      started: started, loop: Double(time), write: write().map { Double($0) }, steal: ticks?.steal, ticks: ticks?.all)
  }

  /// As many steps as take 50 ms.
  private func calibrated() -> Int {
    let tried = 2_000_000
    // The quickest of three: whatever disturbs only adds.
    let time = (0..<3).map { _ in loop(tried) }.min() ?? 1
    return max(1, Int(50e6 / Double(max(1, time)) * Double(tried)))
  }

  @inline(never)
  private func loop(_ steps: Int) -> Int64 {
    let start = ci_now()
    var state = UInt64(steps) | 1
    for _ in 0..<steps {
      // Each step needs the one before: nothing to be done side by side.
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
    }
    sum &+= state
    return ci_now() - start
  }

  private func write() -> Int64? {
    let file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let start = ci_now()
    guard pwrite(file, block, block.count, 0) == block.count, fsync(file) == 0 else { return nil }
    return ci_now() - start
  }
}

/// What the samples of a run say.
enum MachineFitness {
  /// Why no time may be judged, or nil if the machine was fit.
  static func defect(_ samples: [ProbeSample]) -> String? {
    let series = [
      ("an integer loop", samples.map(\.loop)), ("writing 1 MiB with a sync", samples.compactMap(\.write)),
    ]
    for (name, values) in series {
      switch Fitness.defect(of: values) {
      case .tooFew(let count): return "\(name) was only tried \(count) times"
      case .spread(let spread):
        return
          "\(name), tried between the rounds, scatters by \(Figures.plusMinus(spread)) (a quiet machine: up to 30 %)"
      case .outliers(let share):
        return
          "\(name) took more than twice its usual time in \(Int((share * 100).rounded())) % of the tries between the rounds"
      case nil: break
      }
    }
    guard let first = samples.first, let last = samples.last, let before = first.steal, let after = last.steal,
      let start = first.ticks, let end = last.ticks, end > start
    else { return nil }
    let share = (after - before) / (end - start)
    return share > Fitness.largestSteal
      ? "the hypervisor gave \(Int((share * 100).rounded())) % of the time to others" : nil
  }
}
