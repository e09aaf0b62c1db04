import CStorageInstrument
import Foundation

enum CrashStoreFiles {
  /// The kind of a file in a store.
  enum Part: String {
    case data
    /// A log file with recent saves, which the engine adds to the data when the store is opened.
    case log
    /// A file without records, such as an index of the log, a file of locks or a list of files.
    case index
  }

  /// Returns the kind of a file. Logs and indexes are recognized by the names that SQLite, LMDB and LevelDB use.
  static func part(_ file: String) -> Part {
    let name = file.split(separator: "/").last ?? ""
    if ["-wal", "-journal", ".log"].contains(where: name.hasSuffix) { return .log }
    let indices = ["CURRENT", "LOCK", "LOG", "LOG.old"]
    return DiskLog.isRebuilt(file) || name.hasPrefix("MANIFEST-") || indices.contains(String(name)) ? .index : .data
  }

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
