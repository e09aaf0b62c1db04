import CStorageInstrument
import Foundation
import StorageRunFiles
import StorageTrial

/// A function that measures the machine's speed, between the rounds of measurements.
typealias MachineSampler = @Sendable () -> ProbeSample

/// A probe of the machine's speed: an integer loop of about 50 ms and a synced write of 1 MiB. Not for concurrent use.
struct FitnessProbe: Sendable {
  let directory: String
  private static let steps: Int = {
    let tried = 2_000_000
    // The fastest of three loops counts, because a disturbance only adds time.
    let time = (0..<3).map { _ in IntegerLoop.time(tried) }.min() ?? 1
    return max(1, Int(50e6 / Double(max(1, time)) * Double(tried)))
  }()
  private let block = [UInt8](repeating: 0xA5, count: 1 << 20)

  func sample() -> ProbeSample {
    let steps = Self.steps
    let started = Date().timeIntervalSince1970
    let time = IntegerLoop.time(steps)
    let ticks = Linux.processorTicks
    return ProbeSample(
      started: started, loop: Double(time), write: Self.write(block, times: 1, in: directory).first.map { Double($0) },
      steal: ticks?.steal, ticks: ticks?.all)
  }

  /// Writes and syncs a block, `times` times. Returns the nanoseconds of each successful write.
  static func write(_ block: [UInt8], times: Int, in directory: String) -> [Int64] {
    let path = "\(directory)/\(AtomicFile.temporaryName())"
    let file = open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { return [] }
    // The kernel removes an unlinked file when the process ends, even if it is killed.
    unlink(path)
    defer { close(file) }
    return (0..<times).compactMap { _ in
      let start = ci_now()
      guard pwrite(file, block, block.count, 0) == block.count, fsync(file) == 0 else { return nil }
      return ci_now() - start
    }
  }
}
