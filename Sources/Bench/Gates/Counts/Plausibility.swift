import StorageContract
import StorageRunFiles

/// Zeros that cannot be: whoever saved something wrote, and whoever promises to be durable synced.
///
/// A gate that takes them for great savings would be passed by counters that do not count.
enum Plausibility {
  /// The committed count that is 0 and cannot be, by its name in `costs.csv`, or nil.
  ///
  /// - Parameters:
  ///   - cost: The counts; what was not measured may be absent.
  ///   - level: What the row promises; nil for reads.
  static func impossibleZero(_ cost: Cost, level: Level?) -> String? {
    if cost.countedOperations <= 0 { return "ops" }
    guard let level, level > .volatile, (cost.bytesChanged ?? 0) > 0 else { return nil }
    if cost.bytesWrittenSettled == 0 { return "bytes" }
    // What is written through a memory mapping makes no calls; the bytes are not known then.
    if cost.bytesWrittenSettled != nil, cost.writeCalls == 0 { return "writes" }
    return level >= .intact && cost.syncsSettled == 0 ? "syncs" : nil
  }
}
