import StorageContract
import StorageRunFiles

/// A check for impossible zeros. A row that saved something must have written, and from `intact` on also synced.
///
/// Counters that do not count would otherwise pass a gate as great savings.
enum Plausibility {
  /// Returns the name in `costs.csv` of a committed count that is 0 although this is impossible, or nil.
  ///
  /// - Parameters:
  ///   - cost: The counts of the row. Counts that were not measured may be absent.
  ///   - level: The promised durability level of the row; nil for reads.
  static func impossibleZero(_ cost: Cost, level: Level?) -> String? {
    if cost.countedOperations <= 0 { return "ops" }
    guard let level, level > .volatile, (cost.bytesChanged ?? 0) > 0 else { return nil }
    if cost.bytesWrittenSettled == 0 { return "bytes" }
    // Writes through a memory mapping make no calls. Their bytes are unknown.
    if cost.bytesWrittenSettled != nil, cost.writeCalls == 0 { return "writes" }
    return level >= .intact && cost.syncsSettled == 0 ? "syncs" : nil
  }
}
