import StorageContract
import StorageRunFiles

/// Impossible zeros: a row that saved something must have written, and a row at `intact` or above must have synced.
///
/// Counters that do not count would otherwise pass a gate as great savings.
enum Plausibility {
  /// Returns the name in `costs.csv` of a committed count that is 0 although that is impossible, or nil.
  ///
  /// - Parameters:
  ///   - cost: The counts; those that were not measured may be absent.
  ///   - level: The promised level of the row; nil for reads.
  static func impossibleZero(_ cost: Cost, level: Level?) -> String? {
    if cost.countedOperations <= 0 { return "ops" }
    guard let level, level > .volatile, (cost.bytesChanged ?? 0) > 0 else { return nil }
    if cost.bytesWrittenSettled == 0 { return "bytes" }
    // Writes through a memory mapping make no calls; their bytes are unknown then.
    if cost.bytesWrittenSettled != nil, cost.writeCalls == 0 { return "writes" }
    return level >= .intact && cost.syncsSettled == 0 ? "syncs" : nil
  }
}
