import StorageContract
import StorageRunFiles

/// The resource that determines a cell's time, and so its disturbances. The control of a comparison has one cell for
/// each resource.
enum LoadClass: CaseIterable {
  /// The processor and memory determine the time of all cells that are in neither of the other classes.
  case processor
  /// The size of the store determines the time, since every save writes the whole file.
  case wholeFile
  /// The disk determines the time, since every operation syncs and waits for it.
  case sync

  /// - Parameters:
  ///   - planned: The cell to classify.
  ///   - syncs: Whether the cell was observed to sync in every operation.
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
