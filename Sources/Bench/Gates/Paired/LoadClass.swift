import StorageContract
import StorageRunFiles

/// A class of benchmarks by the resource that limits their speed. Noise is usually measured with one benchmark per
/// class.
enum LoadClass: CaseIterable {
  /// The benchmarks limited by the processor or the memory: all that are not in ``wholeFile`` or ``sync``.
  case processor
  /// The benchmarks limited by the size of the store, because every save writes the whole file.
  case wholeFile
  /// The benchmarks limited by the disk, because their operations sync.
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
