import CStorageInstrument
import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// Takes samples. Tests put a scripted one in its place.
protocol MachineSampling: AnyObject, Sendable {
  func sample() -> ProbeSample
}

/// The machine itself: an integer loop of about 50 ms, and 1 MiB written and synced where the stores lie.
///
/// Used by one task at a time.
final class FitnessProbe: MachineSampling, @unchecked Sendable {
  private let directory: String
  /// Steps of the loop, found out at the first sample.
  private var steps: Int?
  private let block = [UInt8](repeating: 0xA5, count: 1 << 20)

  /// - Parameter directory: Where the stores lie.
  init(directory: String) { self.directory = directory }

  func sample() -> ProbeSample {
    let steps = self.steps ?? calibrated()
    self.steps = steps
    let started = Date().timeIntervalSince1970
    let time = IntegerLoop.time(steps)
    let ticks = Linux.processorTicks
    return ProbeSample(
      started: started, loop: Double(time), write: write().map { Double($0) }, steal: ticks?.steal, ticks: ticks?.all)
  }

  /// As many steps as take 50 ms.
  private func calibrated() -> Int {
    let tried = 2_000_000
    // The quickest of three: whatever disturbs only adds.
    let time = (0..<3).map { _ in IntegerLoop.time(tried) }.min() ?? 1
    return max(1, Int(50e6 / Double(max(1, time)) * Double(tried)))
  }

  private func write() -> Int64? {
    let path = "\(directory)/\(AtomicFile.temporaryName())"
    let file = open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    // It has no name from here on: however the run ends, nothing is left.
    unlink(path)
    defer { close(file) }
    let start = ci_now()
    guard pwrite(file, block, block.count, 0) == block.count, fsync(file) == 0 else { return nil }
    return ci_now() - start
  }
}
