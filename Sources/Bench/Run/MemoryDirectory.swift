import Foundation
import StorageContract
import StorageRunFiles

/// A directory of this process's own on a disk in memory, for stores that are counted and not timed: calls are the
/// same there, and no slow disk has to be waited for.
///
/// One that a killed process has left is removed by the next that makes one, see ``OwnedDirectory``.
final class MemoryDirectory: Sendable {
  /// The directory, absolute.
  let path: String
  /// Where the stores of cost passes lie in it.
  let scratch: Scratch
  private let directory: OwnedDirectory
  private let room: Int

  /// Makes the directory, once what killed processes left is gone.
  ///
  /// - Parameters:
  ///   - parent: Where; by default the directory that every Linux system has in memory.
  ///   - room: Bytes that may be used; by default what is free there, but not more than half of the memory that is
  ///     free in all, since these stores are taken from it.
  /// - Returns: Nil where there is no disk in memory, or it cannot be written to.
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

  /// The directory for the cost passes of a plan.
  ///
  /// - Returns: Nil where they stay on the disk: since the user says so, or nothing is counted, or the disk is in memory
  ///   itself.
  static func forCosts(of plan: Plan, scratch: Scratch) -> MemoryDirectory? {
    plan.costOnDisk == true || plan.once || Linux.isRAMDisk(scratch.path) ? nil : MemoryDirectory()
  }

  /// A directory on a disk in memory for a whole run, its stores included; nil where there is no room for it.
  static func owned(holding bytes: Int) -> OwnedDirectory? {
    guard let room = room(Linux.sharedMemory), isEnough(room, for: bytes) else { return nil }
    return try? .temporary(in: Linux.sharedMemory)
  }

  /// Whether stores of so many bytes, roughly, fit in: they may be larger than foreseen, and engines keep a file or two
  /// beside them. Containers have 64 MiB in memory unless told otherwise.
  func holds(_ bytes: Int) -> Bool { Self.isEnough(room, for: bytes) }

  /// Whether the cost pass of a cell can be made here. A cold store has to leave the memory, which it cannot here, and
  /// so has one of a process with little memory.
  func takes(_ planned: PlannedCell) -> Bool {
    planned.cell.cache != .cold && planned.cell.memory == nil && holds(PlanEstimate.bytesOfCostPasses(planned))
  }

  /// Removes the directory with everything in it.
  func close() { directory.removeAll() }

  private static func isEnough(_ room: Int, for bytes: Int) -> Bool { room > 4 * bytes + (32 << 20) }

  private static func room(_ parent: String) -> Int? {
    guard Linux.isRAMDisk(parent), access(parent, W_OK | X_OK) == 0, let free = Linux.freeBytes(parent) else {
      return nil
    }
    return min(free, (Linux.availableMemory ?? .max) / 2)
  }
}
