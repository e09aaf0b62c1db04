import StorageContract
import StorageRunFiles

/// What a cell's time depends on, and so what disturbs it: the control of a comparison has one cell of each.
enum LoadClass: CaseIterable {
  /// Neither of the others: the processor, and memory.
  case processor
  /// It writes its whole file for every save.
  case wholeFile
  /// It syncs in every operation, and waits for the disk.
  case sync

  /// - Parameters:
  ///   - planned: The cell.
  ///   - syncs: Whether it was seen to sync in every operation.
  init(_ planned: PlannedCell, syncs: Bool) {
    // Only cells that save have a durability. Most whole files are synced, too; what they depend on first is their size.
    if planned.isWholeFile, planned.cell.durability != nil {
      self = .wholeFile
    } else {
      self = syncs ? .sync : .processor
    }
  }
}
