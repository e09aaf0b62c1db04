import StorageContract
import StorageRunFiles
import StorageWorkloads

extension Dataset {
  /// Reads the data set from the file that the user has named; nil if no file was named.
  ///
  /// - Parameter repeated: The plan of an earlier run, which names the file if the option `--dataset` is absent.
  /// - Throws: ``UsageError`` for a file that cannot be used, and for `--map` without `--dataset`.
  static func given(by cells: CellOptions, or repeated: Plan? = nil) throws -> Dataset? {
    guard cells.dataset != nil || cells.map.isEmpty else {
      throw UsageError("--map is only for --dataset; give --dataset, or leave out --map")
    }
    if let path = cells.dataset { return try Dataset(path: path, map: cells.map) }
    return try repeated?.dataset.map { try Dataset(path: $0, map: repeated?.datasetMap ?? []) }
  }
}
