import Foundation
import StorageContract

/// Functions that copy a store's files and sync the copy, so that the times of all engines are comparable.
enum FileCopy {
  /// Copies a directory, and syncs the copy.
  ///
  /// - Throws: ``StoreError``.
  static func make(of source: String, at target: String) throws {
    do {
      try FileManager.default.copyItem(atPath: source, toPath: target)
    } catch {
      throw StoreError(error, on: target)
    }
    try sync(target)
  }

  /// Syncs the files and directories of a copied store to the disk.
  ///
  /// - Throws: ``StoreError``.
  static func sync(_ directory: String) throws {
    let names = FileManager.default.subpaths(atPath: directory) ?? []
    for path in names.map({ "\(directory)/\($0)" }) + [directory] {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw StoreError(errno: errno, doing: "opening the copy") }
      defer { close(descriptor) }
      guard fsync(descriptor) == 0 else { throw StoreError(errno: errno, doing: "syncing the copy") }
    }
  }
}
