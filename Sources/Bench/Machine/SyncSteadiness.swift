import StorageReport
import StorageStatistics

/// The verdict of the command `doctor` on how steady the time of a sync is. One measurement is not enough: some disks
/// had syncs of 4.0, 0.25 and 3.6 ms one after another. Backends that sync cannot be compared on such a disk.
struct SyncSteadiness {
  let isGood: Bool
  let text: String

  /// Judges the times of several syncs, in nanoseconds. They must be as steady as the test tasks of a run, see
  /// ``Fitness``. A disk also counts as unsteady if too many syncs take less than half of the median time. The result
  /// is nil without times.
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
