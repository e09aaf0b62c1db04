import StorageContract
import StorageRunFiles

/// A check for counts of 0 that must be wrong, because a counter is broken. A save always writes. At the durability
/// levels `intact` and `durable`, at which a power cut does not corrupt the store, a save also syncs.
enum Plausibility {
  /// Returns the `costs.csv` name of an impossible count of 0, such as `writes` for saves; nil if every count is
  /// possible.
  ///
  /// - Parameter level: The durability level that the backend guarantees; nil for workloads that only read.
  static func impossibleZero(_ cost: Cost, level: Level?) -> String? {
    if cost.countedOperations <= 0 { return "ops" }
    guard let level, level > .volatile, (cost.bytesChanged ?? 0) > 0 else { return nil }
    if cost.bytesWrittenSettled == 0 { return "bytes" }
    // Writes through a memory mapping make no calls, and their bytes are unknown (nil).
    if cost.bytesWrittenSettled != nil, cost.writeCalls == 0 { return "writes" }
    return level >= .intact && cost.syncsSettled == 0 ? "syncs" : nil
  }
}
