import Foundation
import StorageContract

/// A directory of files with one value each, as in an app that keeps images out of its database.
struct ValueFiles {
  let directory: String
  let isSynced: Bool

  /// Creates the empty directory. An earlier directory is deleted with its files.
  func start() throws {
    do {
      if FileManager.default.fileExists(atPath: directory) { try FileManager.default.removeItem(atPath: directory) }
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw StoreError(error, on: "values")
    }
  }

  /// Writes a value into a new file.
  ///
  /// - Throws: ``StoreError``.
  func write(_ value: [UInt8], to name: String) throws {
    let file = try open(name, O_WRONLY | O_CREAT | O_EXCL)
    defer { close(file) }
    try value.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let written = Foundation.write(file, bytes.baseAddress.unsafelyUnwrapped + done, bytes.count - done)
        guard written > 0 else { throw Self.error(name) }
        done += written
      }
    }
    guard isSynced else { return }
    // Syncs the content, then the directory entry.
    guard fsync(file) == 0 else { throw Self.error(name) }
    let parent = try open("", O_RDONLY | O_DIRECTORY)
    defer { close(parent) }
    guard fsync(parent) == 0 else { throw Self.error(name) }
  }

  func read(_ name: String) throws -> [UInt8] {
    let file = try open(name, O_RDONLY)
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw Self.error(name) }
    let length = Int(status.st_size)
    return try [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
      while filled < length {
        let count = Foundation.read(file, buffer.baseAddress.unsafelyUnwrapped + filled, length - filled)
        guard count > 0 else { throw Self.error(name) }
        filled += count
      }
    }
  }

  func remove(_ name: String) throws {
    guard unlink(path(name)) == 0 else { throw Self.error(name) }
  }

  /// Checks that the directory has exactly the `expected` files (bytes by name), and adds the files to `totals`.
  ///
  /// - Throws: ``VerificationError``, or ``StoreError`` if a file cannot be read.
  func check(_ expected: [String: [UInt8]], _ totals: inout Expectation.Totals) throws {
    let names = Set((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [])
    for (name, value) in expected.sorted(by: { $0.key < $1.key }) {
      guard names.contains(name) else {
        throw VerificationError(
          "file values/\(name), which the workload itself wrote, is missing; "
            + "check that the backend removes only its own files")
      }
      guard try read(name) == value else {
        throw VerificationError(
          "file values/\(name), which the workload itself wrote, has wrong bytes; "
            + "check that the backend changes only its own files")
      }
      value.withUnsafeBytes { totals.digest.add($0) }
      totals.storedBytes += value.count
    }
    if let left = names.subtracting(expected.keys).min() {
      throw VerificationError(
        "file values/\(left) was not written by the workload, or was deleted by it; "
          + "check that the backend writes only its own files")
    }
  }

  private func path(_ name: String) -> String { "\(directory)/\(name)" }

  private func open(_ name: String, _ flags: Int32) throws -> Int32 {
    let file = Foundation.open(path(name), flags | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw Self.error(name) }
    return file
  }

  private static func error(_ name: String) -> StoreError { StoreError(errno: errno, doing: "values/\(name)") }
}
