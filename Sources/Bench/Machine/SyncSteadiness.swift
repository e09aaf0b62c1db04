import StorageReport
import StorageStatistics

/// The judgment of `doctor` on the cost of a sync, measured several times over seconds.
///
/// One measurement is not enough: some disks had syncs of 4.0, 0.25 and 3.6 ms in a row. Backends that sync cannot be
/// compared on such a disk.
struct SyncSteadiness {
  /// Whether workloads that sync can be measured on the tested disk.
  let isGood: Bool
  let text: String

  /// Judges the times of several syncs as a run does (``Fitness``). In addition, a disk that is sometimes much faster
  /// than usual counts as unsteady.
  ///
  /// - Parameter costs: The times of the syncs, in nanoseconds.
  /// - Returns: nil without any times.
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
