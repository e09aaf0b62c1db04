import Foundation
import StorageContract
import StorageRunFiles

/// A directory in memory for stores whose system calls are counted and not timed. On a slow disk the calls would be the
/// same but take longer.
///
/// The next process that creates such a directory removes the directories of killed processes: see ``OwnedDirectory``.
final class MemoryDirectory: Sendable {
  let path: String
  let scratch: Scratch
  private let directory: OwnedDirectory
  private let room: Int

  /// Creates a directory in memory, after removing those of killed processes.
  ///
  /// - Parameter room: The bytes that may be used; by default the free bytes of the parent, but at most half of the
  ///   available memory, because the stores use that memory.
  /// - Returns: Nil if the system has no RAM disk, or the RAM disk cannot be written to.
  init?(parent: String = Linux.sharedMemory, room: Int? = nil) {
    guard let room = room ?? Self.room(parent), access(parent, W_OK | X_OK) == 0,
      let directory = try? OwnedDirectory.temporary(in: parent)
    else {
      return nil
    }
    guard let scratch = try? Scratch(directory) else {
      directory.removeAll()
      return nil
    }
    (self.path, self.directory, self.scratch, self.room) = (directory.path, directory, scratch, room)
  }

  /// Returns a directory in memory for the stores of a plan whose system calls are counted. The result is nil if the
  /// user wants these stores on the disk, if nothing is counted, or if the disk itself is in memory.
  static func forCosts(of plan: Plan, scratch: Scratch) -> MemoryDirectory? {
    plan.costOnDisk == true || plan.once || Linux.isRAMDisk(scratch.path) ? nil : MemoryDirectory()
  }

  static func owned(holding bytes: Int) -> OwnedDirectory? {
    guard let room = room(Linux.sharedMemory), isEnough(room, for: bytes) else { return nil }
    return try? .temporary(in: Linux.sharedMemory)
  }

  /// Returns whether stores of about this size fit into the memory, with a reserve for wrong estimates and additional
  /// files. In containers, the default size of /dev/shm is only 64 MiB.
  func holds(_ bytes: Int) -> Bool { Self.isEnough(room, for: bytes) }

  /// Returns whether a benchmark's system calls can be counted with the store in memory. A cold page cache and a memory
  /// limit require a store on a disk.
  func takes(_ planned: PlannedCell) -> Bool {
    planned.cell.cache != .cold && planned.cell.memory == nil && holds(PlanEstimate.bytesOfCostPasses(planned))
  }

  func close() { directory.removeAll() }

  private static func isEnough(_ room: Int, for bytes: Int) -> Bool { room > 4 * bytes + (32 << 20) }

  private static func room(_ parent: String) -> Int? {
    guard Linux.isRAMDisk(parent), access(parent, W_OK | X_OK) == 0, let free = Linux.freeBytes(parent) else {
      return nil
    }
    return min(free, (Linux.availableMemory ?? .max) / 2)
  }
}
