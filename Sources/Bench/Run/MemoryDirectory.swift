import Foundation
import StorageRunFiles

/// A directory in memory for stores whose system calls are only counted. On a slow disk, counting would take longer.
final class MemoryDirectory: Sendable {
  let scratch: Scratch
  private let room: Int

  /// Creates a directory in memory; nil if no RAM disk can be written to.
  ///
  /// - Parameter room: The usable bytes; by default the free space, but at most half of the available memory.
  init?(parent: String = Linux.sharedMemory, room: Int? = nil) {
    guard let room = room ?? Self.room(parent), access(parent, W_OK | X_OK) == 0,
      let directory = try? OwnedDirectory.temporary(in: parent),
      let scratch = try? attempt({ try Scratch(directory) }, undo: directory.removeAll)
    else {
      return nil
    }
    (self.scratch, self.room) = (scratch, room)
  }

  /// Returns a new directory in memory for the stores whose system calls are counted. Nil means that these stores are
  /// in the directory `scratch`.
  static func forCosts(of plan: Plan, scratch: Scratch) -> MemoryDirectory? {
    plan.costOnDisk == true || plan.once || Linux.isRAMDisk(scratch.path) ? nil : MemoryDirectory()
  }

  static func owned(holding bytes: Int) -> OwnedDirectory? {
    guard let room = room(Linux.sharedMemory), isEnough(room, for: bytes) else { return nil }
    return try? .temporary(in: Linux.sharedMemory)
  }

  /// Returns whether stores with this total size in bytes fit into this directory, with a reserve for wrong estimates.
  func holds(_ bytes: Int) -> Bool { Self.isEnough(room, for: bytes) }

  /// Returns whether this directory can take the store of a benchmark. A cold page cache or a memory limit needs a
  /// disk.
  func takes(_ planned: PlannedCell) -> Bool {
    planned.cell.cache != .cold && planned.cell.memory == nil && holds(PlanEstimate.bytesOfCostPasses(planned))
  }

  func close() { scratch.directory.removeAll() }

  private static func isEnough(_ room: Int, for bytes: Int) -> Bool { room > 4 * bytes + (32 << 20) }

  private static func room(_ parent: String) -> Int? {
    guard Linux.isRAMDisk(parent), access(parent, W_OK | X_OK) == 0, let free = Linux.freeBytes(parent) else {
      return nil
    }
    return min(free, (Linux.memory("MemAvailable") ?? .max) / 2)
  }
}
