import StorageContract
import StorageRunFiles

/// A check for counts of 0 that must be wrong. A save always writes, and a save at the durability level `intact` or
/// higher also syncs. Otherwise a broken counter would look like a great saving.
enum Plausibility {
  /// Returns the `costs.csv` name of an impossible count of 0, such as `writes` for saves; nil if every count is
  /// possible.
  ///
  /// - Parameters:
  ///   - cost: The counts of a backend with a workload. Counts that were not measured may be absent.
  ///   - level: The durability level that the backend guarantees; nil for reads.
  static func impossibleZero(_ cost: Cost, level: Level?) -> String? {
    if cost.countedOperations <= 0 { return "ops" }
    guard let level, level > .volatile, (cost.bytesChanged ?? 0) > 0 else { return nil }
    if cost.bytesWrittenSettled == 0 { return "bytes" }
    // Writes through a memory mapping make no calls. Their bytes are unknown.
    if cost.bytesWrittenSettled != nil, cost.writeCalls == 0 { return "writes" }
    return level >= .intact && cost.syncsSettled == 0 ? "syncs" : nil
  }
}
