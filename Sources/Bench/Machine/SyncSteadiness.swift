import StorageReport
import StorageStatistics

/// The judgment of `doctor` on the syncs of a disk: good if the syncs reach the disk and all take about the same time.
struct SyncSteadiness {
  let isGood: Bool
  let text: String

  /// Judges a disk by the durations of its syncs, in nanoseconds. Returns nil if `costs` is empty.
  init?(_ costs: [Double]) {
    let sorted = costs.sorted()
    guard let middle = Quantile.median(of: sorted), let least = sorted.first, let most = sorted.last else { return nil }
    let range = "\(NumberFormat.time(least)) to \(NumberFormat.time(most)) in \(sorted.count) tries"
    let fast = Double(sorted.count { $0 < middle / 2 }) / Double(sorted.count)
    let isSteady = Fitness.defect(of: costs) == nil && fast <= Fitness.largestOutlierShare
    let flushes = middle >= ReportModel.flushingFrom
    isGood = isSteady && flushes
    if !flushes {
      text = "a sync costs \(NumberFormat.time(middle)): this disk does not flush"
    } else if isSteady {
      text = "a sync costs \(NumberFormat.time(middle)) (\(range))"
    } else {
      text = "a sync costs \(range): rows that sync cannot be compared on this disk now"
    }
  }
}
