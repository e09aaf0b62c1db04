import StorageContract
import StorageRunFiles

/// The resource that limits the speed of a benchmark (a backend with a workload), and so determines which disturbances
/// matter. As a control for each resource, a paired comparison measures one benchmark of this class against itself.
enum LoadClass: CaseIterable {
  /// The processor and memory limit the speed. This class has everything that is in neither of the other classes.
  case processor
  /// The size of the store limits the speed, because every save writes the whole file.
  case wholeFile
  /// The disk limits the speed, because every operation syncs and waits for the disk.
  case sync

  /// Determines the resource that limits the speed of a backend with a workload.
  ///
  /// - Parameters:
  ///   - planned: The backend with a workload to classify.
  ///   - syncs: Whether every operation was observed to sync.
  init(_ planned: PlannedCell, syncs: Bool) {
    // Only cells that save have a durability. Most whole files are synced, too, but their size determines the time
    // first.
    if planned.isWholeFile, planned.cell.durability != nil {
      self = .wholeFile
    } else {
      self = syncs ? .sync : .processor
    }
  }
}
