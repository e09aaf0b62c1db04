import StorageContract
import StorageRunFiles

/// A class of benchmarks by the resource that limits their speed. Noise is usually measured with one benchmark per
/// class.
enum LoadClass: CaseIterable {
  /// The class of benchmarks that are limited by the processor or the memory, such as reads.
  case processor
  /// The class of benchmarks that are limited by the size of the store, because every save writes the whole file.
  case wholeFile
  /// The class of benchmarks that are limited by the disk, because their operations sync.
  case sync

  init(_ planned: PlannedCell, syncs: Bool) {
    // Only saves have a durability. Most whole-file stores are synced too, but their size affects the time more.
    if planned.isWholeFile, planned.cell.durability != nil {
      self = .wholeFile
    } else {
      self = syncs ? .sync : .processor
    }
  }
}
