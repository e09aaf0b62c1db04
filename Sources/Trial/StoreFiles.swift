import CStorageInstrument
import Foundation
import StorageContract

package enum StoreFiles {
  package static func paths(_ directory: String) -> [String] {
    guard let names = FileManager.default.subpaths(atPath: directory) else { return [] }
    return names.sorted().map { "\(directory)/\($0)" }.filter { path in
      // Foundation allocates memory that it keeps when it first reads the attributes of a file. If a counted operation
      // were the first to do so, the backend `defaults` would be charged for it (22 allocations in workload
      // launch-cold).
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return attributes?[.type] as? FileAttributeType == .typeRegular
    }
  }

  /// Returns the sum of the lengths of a directory's files, the space that the file system allocates for them, and the
  /// number of files and directories.
  package static func sizes(_ directory: String) -> (length: Int, allocated: Int, inodes: Int) {
    var sizes = (length: 0, allocated: 0, inodes: FileManager.default.subpaths(atPath: directory)?.count ?? 0)
    for path in paths(directory) {
      var length: UInt64 = 0
      var allocated: UInt64 = 0
      guard ci_file_size(path, &length, &allocated) == 0 else { continue }
      sizes.length += Int(length)
      sizes.allocated += Int(allocated)
    }
    return sizes
  }

  package static func empty(_ directory: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
      try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
    }
  }

  /// Copies the files of a directory into another, existing directory. Sparse files stay sparse.
  package static func copy(_ source: String, to target: String) throws {
    for path in paths(source) {
      let name = path.dropFirst(source.count + 1)
      let destination = "\(target)/\(name)"
      if name.contains("/") {
        try FileManager.default.createDirectory(
          atPath: (destination as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      }
      let error = ci_copy_file(path, destination)
      guard error == 0 else {
        throw StoreError(errno: error, doing: "cannot copy \(path) to \(destination)")
      }
    }
  }

  /// Returns whether two directories contain the same files with the same bytes, and at least one byte.
  package static func areEqual(_ first: String, _ second: String) -> Bool {
    sizes(first).length > 0 && FileManager.default.contentsEqual(atPath: first, andPath: second)
  }

  /// Writes back the dirty pages of the file system, so that writes of one phase of a trial do not slow down the next
  /// phase.
  package static func sync(_ directory: String) throws {
    let error = ci_sync_filesystem(directory)
    guard error == 0 else {
      throw StoreError(errno: error, doing: "cannot sync the file system of \(directory)")
    }
  }

  /// Drops the files of a store from the page cache. Throws ``StoreError`` if more than the share `most` of the pages
  /// stay, since the store would then not be cold.
  package static func drop(_ directory: String, leaving most: Double = 0.05) throws {
    let files = paths(directory)
    for path in files { _ = ci_drop_cache(path) }
    if let share = residentShare(files), share > most {
      throw StoreError.failed(
        "\(Int((share * 100).rounded(.up))) % of the store's files stay in memory after asking the kernel to drop them")
    }
  }

  package static func warm(_ files: [String]) {
    for path in files { _ = ci_read_through(path) }
  }

  package static func residentShare(_ files: [String]) -> Double? {
    var (all, present) = (UInt64(0), UInt64(0))
    for path in files {
      var (pages, resident) = (UInt64(0), UInt64(0))
      guard ci_resident_pages(path, &pages, &resident) == 0 else { continue }
      all += pages
      present += resident
    }
    return all == 0 ? nil : Double(present) / Double(all)
  }

  /// The two numbers in the header of a SQLite write-ahead log that change when the log restarts. Source: SQLite's file
  /// format, section 4.1.
  package struct LogHeader: Equatable {
    let path: String
    /// Bytes 12 to 15 of the log header: the number of restarts by the connection that wrote the header.
    let number: UInt32
    /// Bytes 16 to 19 of the log header: a random number that each restart by any connection increases by one.
    let salt: UInt32

    package init(path: String, number: UInt32, salt: UInt32) {
      (self.path, self.number, self.salt) = (path, number, salt)
    }
  }

  package static func logs(_ files: [String]) -> [LogHeader] {
    files.filter { $0.hasSuffix("-wal") }.compactMap { path in
      guard let handle = FileHandle(forReadingAtPath: path),
        let header = try? handle.read(upToCount: 20), header.count == 20
      else { return nil }
      func number(_ start: Int) -> UInt32 { header.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
      return LogHeader(path: path, number: number(12), salt: number(16))
    }
  }

  /// Returns the number of restarts of write-ahead logs between two readings of their headers, `before` and `after`.
  /// Each restart follows a checkpoint. For a log that is new in `after`, all of its restarts count. Returns nil if
  /// there is no log in `after`.
  package static func checkpoints(from before: [LogHeader], to after: [LogHeader]) -> Int? {
    guard !after.isEmpty else { return nil }
    return after.reduce(0) { sum, log in
      guard let old = before.first(where: { $0.path == log.path }) else { return sum + Int(log.number) }
      let times = log.salt &- old.salt
      // A larger difference means that the log is another one, with another random number.
      return sum + Int(times < 1 << 20 ? times : log.number)
    }
  }
}
