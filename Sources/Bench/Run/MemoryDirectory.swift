import CStorageInstrument
import Foundation
import StorageContract
import StorageRunFiles
import SystemPackage

/// A directory of this process's own on a disk in memory, for stores that are counted and not timed: calls are the
/// same there, and no slow disk has to be waited for.
///
/// The directory is locked as long as the process lives. One that nobody has locked was left by a process that was
/// killed, and is removed by the next that makes one; those of other runs are left alone.
final class MemoryDirectory: Sendable {
  /// The directory, absolute.
  let path: String
  /// Where the stores of cost passes lie in it.
  let scratch: Scratch
  private let lock: FileDescriptor
  private let room: Int

  private static let prefix = ".storage-bench-"

  /// Makes the directory, once what killed processes left is gone.
  ///
  /// - Parameters:
  ///   - parent: Where; by default the directory that every Linux system has in memory.
  ///   - room: Bytes that may be used; by default what is free there, but not more than half of the memory that is
  ///     free in all, since these stores are taken from it.
  /// - Returns: Nil where there is no disk in memory, or it cannot be written to.
  init?(parent: String = Linux.sharedMemory, room: Int? = nil) {
    guard let room = room ?? Self.room(parent) else { return nil }
    Self.removeLeftovers(parent)
    // Another process may take the directory for a leftover in the moment between its making and its locking.
    for _ in 0..<8 {
      let number = PathNumber.text(UInt32.random(in: 0 ... .max), digits: 8, radix: 16)
      let path = "\(parent)/\(Self.prefix)\(PathNumber.process)-\(number)"
      guard mkdir(path, 0o700) == 0 else { return nil }
      guard let lock = Self.locked(path) else { continue }
      guard let scratch = try? Scratch(path, isOwn: false) else {
        try? FileManager.default.removeItem(atPath: path)
        try? lock.close()
        return nil
      }
      (self.path, self.lock, self.scratch, self.room) = (path, lock, scratch, room)
      return
    }
    return nil
  }

  /// The directory for the cost passes of a plan.
  ///
  /// - Returns: Nil where they stay on the disk: since the user says so, or nothing is counted, or the disk is in memory
  ///   itself.
  static func forCosts(of plan: Plan, scratch: Scratch) -> MemoryDirectory? {
    plan.costOnDisk == true || plan.once || Linux.isRAMDisk(scratch.path) ? nil : MemoryDirectory()
  }

  /// Whether stores of so many bytes, roughly, fit in: they may be larger than foreseen, and engines keep a file or two
  /// beside them. Containers have 64 MiB in memory unless told otherwise.
  func holds(_ bytes: Int) -> Bool { Self.isEnough(room, for: bytes) }

  /// Whether the cost pass of a cell can be made here. A cold store has to leave the memory, which it cannot here, and
  /// so has one of a process with little memory.
  func takes(_ planned: PlannedCell) -> Bool {
    planned.cell.cache != .cold && planned.cell.memory == nil && holds(Estimate.bytesOfCostPasses(planned))
  }

  /// Removes the directory with everything in it.
  func close() {
    scratch.close(keepingFixtures: false)
    try? FileManager.default.removeItem(atPath: path)
    try? lock.close()
  }

  private static func isEnough(_ room: Int, for bytes: Int) -> Bool { room > 4 * bytes + (32 << 20) }

  private static func room(_ parent: String) -> Int? {
    guard Linux.isRAMDisk(parent), access(parent, W_OK | X_OK) == 0, let free = Linux.freeBytes(parent) else {
      return nil
    }
    return min(free, (Linux.availableMemory ?? .max) / 2)
  }

  /// The lock of a directory, or nil if another process has it, or has just removed the directory.
  private static func locked(_ path: String) -> FileDescriptor? {
    guard let lock = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .closeOnExec]) else {
      return nil
    }
    var status = stat()
    guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0, fstat(lock.rawValue, &status) == 0, status.st_nlink > 0 else {
      try? lock.close()
      return nil
    }
    return lock
  }

  private static func removeLeftovers(_ parent: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
      guard let lock = locked("\(parent)/\(name)") else { continue }
      try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
      try? lock.close()
    }
  }
}
