import CStorageInstrument
import Foundation
import StorageContract

/// The regular files in a directory, including its subdirectories. The directory is usually that of a store.
package enum DirectoryFiles {
  /// Returns the sorted names of the files, relative to the directory. Returns no names if the directory cannot be
  /// read.
  package static func names(in directory: String) -> [String] {
    (FileManager.default.subpaths(atPath: directory) ?? []).sorted().filter { name in
      // Foundation keeps memory from its first read of attributes. This read keeps that memory out of the counts of
      // measured operations.
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
      return attributes?[.type] as? FileAttributeType == .typeRegular
    }
  }

  package static func paths(_ directory: String) -> [String] { names(in: directory).map { "\(directory)/\($0)" } }

  package static func empty(_ directory: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
      try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
    }
  }

  /// Replaces the content of the directory `target` by a copy of the directory `source`. Creates `target` if it is
  /// missing.
  static func replace(_ target: String, by source: String) throws {
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    try empty(target)
    try copy(source, to: target)
  }

  /// Copies the regular files and all subdirectories, also empty ones, of the directory `source` to the existing
  /// directory `target`. Sparse files stay sparse.
  package static func copy(_ source: String, to target: String) throws {
    let paths = FileManager.default.subpaths(atPath: source) ?? []
    for name in paths.sorted() {
      let (path, destination) = ("\(source)/\(name)", "\(target)/\(name)")
      switch try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType {
      case .typeDirectory:
        try FileManager.default.createDirectory(atPath: destination, withIntermediateDirectories: true)
      case .typeRegular:
        let error = ci_copy_file(path, destination)
        guard error == 0 else {
          throw StoreError(errno: error, doing: "cannot copy \(path) to \(destination)")
        }
      default: break
      }
    }
  }
}
