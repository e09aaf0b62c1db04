import StorageContract
import StorageRunFiles

/// A class of benchmarks by the resource that limits their speed, such as the disk. The command `paired` compares two
/// builds. To find the noise, the command also compares the old build with itself, usually in one benchmark of each
/// class.
enum LoadClass: CaseIterable {
  /// The class of benchmarks that are limited by the processor or the memory: all benchmarks that are not limited by
  /// the disk or by the size of the store.
  case processor
  /// The class of benchmarks that are limited by the size of the store, because every save writes the whole file.
  case wholeFile
  /// The class of benchmarks that are limited by the disk, because their operations sync and wait for the disk.
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
