import StorageContract
import StorageRunFiles

/// A check for numbers that cannot be 0. At all levels except `volatile`, a save must write; at `intact` and `durable`,
/// a save must also sync.
enum Plausibility {
  /// Returns the name of a measured number that is 0 but cannot be 0, such as `syncs`. Nil if all numbers are possible.
  ///
  /// - Parameter level: The safety level that the backend guarantees; nil for workloads that only read.
  static func impossibleZero(_ cost: Cost, level: Level?) -> String? {
    if cost.countedOperations <= 0 { return "ops" }
    guard let level, level > .volatile, (cost.bytesChanged ?? 0) > 0 else { return nil }
    if cost.bytesWrittenSettled == 0 { return "bytes" }
    // Writes through a memory mapping make no calls, and their bytes are unknown (nil).
    if cost.bytesWrittenSettled != nil, cost.writeCalls == 0 { return "writes" }
    return level >= .intact && cost.syncsSettled == 0 ? "syncs" : nil
  }
}
