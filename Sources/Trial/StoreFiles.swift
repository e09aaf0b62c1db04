import CStorageInstrument
import Foundation
import StorageContract
import StorageVerify

package enum StoreFiles {
  /// Returns the total length and allocated space of a directory's files, in bytes, and the number of files and
  /// directories.
  package static func sizes(_ directory: String) -> (length: Int, allocated: Int, inodes: Int) {
    var sizes = (length: 0, allocated: 0, inodes: FileManager.default.subpaths(atPath: directory)?.count ?? 0)
    for path in DirectoryFiles.paths(directory) {
      var length: UInt64 = 0
      var allocated: UInt64 = 0
      guard ci_file_size(path, &length, &allocated) == 0 else { continue }
      sizes.length += Int(length)
      sizes.allocated += Int(allocated)
    }
    return sizes
  }

  /// Returns whether two directories contain the same file names and bytes. Two directories without any bytes count as
  /// different.
  package static func areEqual(_ first: String, _ second: String) -> Bool {
    sizes(first).length > 0 && FileManager.default.contentsEqual(atPath: first, andPath: second)
  }

  /// Writes all pending changes of the directory's file system to the disk.
  package static func sync(_ directory: String) throws {
    let error = ci_sync_filesystem(directory)
    guard error == 0 else {
      throw StoreError(errno: error, doing: "cannot sync the file system of \(directory)")
    }
  }

  /// Drops a store's files from the page cache.
  ///
  /// - Parameter most: The maximum share of the files' pages that may stay in the cache, from 0 to 1.
  /// - Throws: ``StoreError`` if a larger share stays.
  package static func drop(_ directory: String, leaving most: Double = 0.05) throws {
    let files = DirectoryFiles.paths(directory)
    for path in files { _ = ci_drop_cache(path) }
    if let share = residentShare(files), share > most {
      throw StoreError.failed(
        "\(Int((share * 100).rounded(.up))) % of the store's files are still in memory, although the kernel was asked "
          + "to drop them, so reads would not go to the disk; give --scratch a directory on another disk")
    }
  }

  static func warm(_ files: [String]) {
    for path in files { _ = ci_read_through(path) }
  }

  static func residentShare(_ files: [String]) -> Double? {
    var (all, present) = (UInt64(0), UInt64(0))
    for path in files {
      var (pages, resident) = (UInt64(0), UInt64(0))
      guard ci_resident_pages(path, &pages, &resident) == 0 else { continue }
      all += pages
      present += resident
    }
    return all == 0 ? nil : Double(present) / Double(all)
  }

  /// Two numbers in the header of an SQLite write-ahead log (SQLite file format, section 4.1).
  struct LogHeader: Equatable {
    let path: String
    /// Bytes 12 to 15 of the header: the number of times that the connection which wrote the header has restarted the
    /// log.
    let number: UInt32
    /// A number in bytes 16 to 19 of a write-ahead log's header: random in a new log, and increased by one at each
    /// restart.
    let salt: UInt32
  }

  static func logs(_ files: [String]) -> [LogHeader] {
    files.filter { $0.hasSuffix("-wal") }.compactMap { path in
      guard let handle = FileHandle(forReadingAtPath: path),
        let header = try? handle.read(upToCount: 20), header.count == 20
      else { return nil }
      func number(_ start: Int) -> UInt32 { header.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
      return LogHeader(path: path, number: number(12), salt: number(16))
    }
  }

  /// Returns how often the write-ahead logs restarted between `before` and `after`. Nil if `after` is empty.
  static func checkpoints(from before: [LogHeader], to after: [LogHeader]) -> Int? {
    guard !after.isEmpty else { return nil }
    return after.reduce(0) { sum, log in
      guard let old = before.first(where: { $0.path == log.path }) else { return sum + Int(log.number) }
      let times = log.salt &- old.salt
      // A larger difference means that the log is another one, with another random number.
      return sum + Int(times < 1 << 20 ? times : log.number)
    }
  }
}
