import CStorageInstrument
import Foundation

enum CrashStoreFiles {
  static func names(in directory: String) -> [String] {
    (FileManager.default.subpaths(atPath: directory) ?? []).filter { name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
      return attributes?[.type] as? FileAttributeType == .typeRegular
    }.sorted()
  }

  /// Replaces the content of a directory by copies of the files in another directory. Sparse files stay sparse.
  static func copy(_ source: String, over directory: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
      try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
    }
    for name in names(in: source) {
      let target = "\(directory)/\(name)"
      let parent = URL(fileURLWithPath: target).deletingLastPathComponent().path
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
      let error = ci_copy_file("\(source)/\(name)", target)
      guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    }
  }
}
