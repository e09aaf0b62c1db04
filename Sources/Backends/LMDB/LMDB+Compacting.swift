import CStorageLMDB
import Foundation
import StorageContract

/// Compaction by a copy of the data file without its free pages (mdb_env_copy2), which then replaces the file. No other
/// process may have the store open, because it would continue with the old, deleted file.
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

  /// Replaces the store's data file by a new file, and reopens the store. The closure `write` must write the new file
  /// into the directory that it gets, under the data file's name. `name` is the name of this temporary directory, such
  /// as `compacted`.
  func replaceFile(_ name: String, _ write: (_ newDirectory: String) throws -> Void) throws {
    // LMDB writes into a directory. A directory that a crash left behind is replaced.
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

/// Backups by mdb_env_copy2. A backup shows the store at one moment, even during saves of other threads or processes.
/// The backup is not synced.
extension LMDBBackend: BackingUp {
  func backUp(to directory: String, isCompact: Bool, between saves: (() throws -> Void)?) throws {
    try checkOpen()
    let flags = isCompact ? UInt32(MDB_CP_COMPACT) : 0
    try mdb.checkCommit(mdb.pointee.copy(environment, directory, flags), directory)
  }
}
