import StorageContract
import StorageRunFiles

/// The resource that limits the speed of a benchmark. `paired` picks one benchmark of each class as a control, for
/// which it measures the old build against itself.
enum LoadClass: CaseIterable {
  /// The processor and memory limit the speed, as in all benchmarks that belong to no other class.
  case processor
  /// The size of the store limits the speed, because every save writes the whole file.
  case wholeFile
  /// The disk limits the speed, because every operation syncs and waits for the disk.
  case sync

  init(_ planned: PlannedCell, syncs: Bool) {
    // Only benchmarks that save have a durability. Most whole-file stores are synced too, but their size affects the
    // time more.
    if planned.isWholeFile, planned.cell.durability != nil {
      self = .wholeFile
    } else {
      self = syncs ? .sync : .processor
    }
  }
}
