import StorageContract
import StorageRunFiles
import StorageWorkloads

extension Dataset {
  /// Returns the user's data set: the file of `--dataset`, or else the file of the earlier plan that is repeated. Nil
  /// if neither has one.
  ///
  /// - Throws: ``UsageError`` for a file that cannot be used, and for `--map` without a file.
  static func given(by cells: CellOptions, or repeated: Plan? = nil) throws -> Dataset? {
    guard cells.dataset != nil || cells.map.isEmpty else {
      throw UsageError("--map is only for --dataset; give --dataset, or leave out --map")
    }
    if let path = cells.dataset { return try Dataset(path: path, map: cells.map) }
    return try repeated?.dataset.map { try Dataset(path: $0, map: repeated?.datasetMap ?? []) }
  }
}
