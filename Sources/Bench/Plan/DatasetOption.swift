import StorageContract
import StorageRunFiles
import StorageWorkloads

extension Dataset {
  /// Reads the user's data set, from `--dataset` or else from `repeated`, the plan of an earlier run; nil without a
  /// file.
  ///
  /// - Throws: ``UsageError`` for a file that cannot be used, and for `--map` without `--dataset`.
  static func given(by cells: CellOptions, or repeated: Plan? = nil) throws -> Dataset? {
    guard cells.dataset != nil || cells.map.isEmpty else {
      throw UsageError("--map is only for --dataset; give --dataset, or leave out --map")
    }
    if let path = cells.dataset { return try Dataset(path: path, map: cells.map) }
    return try repeated?.dataset.map { try Dataset(path: $0, map: repeated?.datasetMap ?? []) }
  }
}
