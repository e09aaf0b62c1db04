import CStorageLMDB
import Foundation
import StorageContract

/// Compaction by a copy of the data file without free pages (mdb_env_copy2). No other process may have the store open.
extension LMDBBackend: Compacting {
  func compact() throws {
    try checkOpen()
    guard !isInUse else {
      throw StoreError.busy("\(mdb.pointee.file) cannot be compacted inside a read or a transaction")
    }
    // A thread of LMDB writes the copy, with O_DIRECT if the file system supports it.
    try replaceFile("compacted") { newDirectory in
      try mdb.checkCommit(mdb.pointee.copy(environment, newDirectory, UInt32(MDB_CP_COMPACT)), directory)
    }
  }

  /// Replaces the store's data file and reopens the store.
  ///
  /// - Parameters:
  ///   - name: The name of a temporary directory for the new file.
  ///   - write: A closure that creates the new file, named like the old one, in the given directory.
  func replaceFile(_ name: String, _ write: (_ newDirectory: String) throws -> Void) throws {
    // LMDB writes the copy into a directory. A directory that a crash has left is replaced.
    let newDirectory = store.path(name)
    let copy = "\(newDirectory)/\(mdb.pointee.file)"
    func remove() {
      _ = unlink(copy)
      _ = rmdir(newDirectory)
    }
    remove()
    guard mkdir(newDirectory, 0o755) == 0 else { throw StoreError(errno: errno, doing: "creating \(newDirectory)") }
    defer { remove() }
    try write(newDirectory)
    // The copy is synced if commits are synced: at every durability except `crash` (MDB_NOSYNC).
    let syncs = store.durability != .crash
    if syncs { try WholeFile.sync(copy, copy, 0) }
    try reopening {
      guard rename(copy, store.path("\(mdb.pointee.file)")) == 0 else {
        throw StoreError(errno: errno, doing: "renaming \(copy)")
      }
      if syncs { try WholeFile.sync(directory, directory) }
    }
  }
}

/// Backups by mdb_env_copy2, without a sync. A backup shows the store at one moment, even during saves of other threads
/// or processes.
extension LMDBBackend: BackingUp {
  func backUp(to directory: String, isCompact: Bool, between saves: (() throws -> Void)?) throws {
    try checkOpen()
    let flags = isCompact ? UInt32(MDB_CP_COMPACT) : 0
    try mdb.checkCommit(mdb.pointee.copy(environment, directory, flags), directory)
  }
}
