import CStorageLMDB
import Foundation
import StorageContract

/// A copy without free pages, put in the place of the file: LMDB has no compaction in place (lmdb.h: mdb_env_copy2).
///
/// A second thread of LMDB's writes the copy, with O_DIRECT where the file system has it, and syncs nothing. No other
/// process may have the store open meanwhile: it would go on in the old file, which has no name any more.
extension LMDBBackend: Compacting {
  func compact() throws {
    try checkOpen()
    guard !isInUse else { throw StoreError.busy("data.mdb: compacted from inside a read or a transaction") }
    // A directory, since LMDB wants one. One that a crash has left is made anew.
    let place = store.path("compacted")
    let copy = "\(place)/data.mdb"
    func remove() {
      _ = unlink(copy)
      _ = rmdir(place)
    }
    remove()
    guard mkdir(place, 0o755) == 0 else { throw StoreError(errno: errno, doing: "creating \(place)") }
    defer { remove() }
    try Self.checkCommit(mdb_env_copy2(environment, place, UInt32(MDB_CP_COMPACT)), directory)
    // As safe as a commit: with NOSYNC that is not synced either.
    let syncs = store.durability != .crash
    if syncs { try Self.syncFile(copy) }
    try reopening {
      guard rename(copy, store.path("data.mdb")) == 0 else { throw StoreError(errno: errno, doing: "renaming \(copy)") }
      if syncs { try Self.syncFile(directory) }
    }
  }

  /// Syncs a file or a directory.
  private static func syncFile(_ path: String) throws {
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(errno: errno, doing: "opening \(path)") }
    defer { _ = Foundation.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StoreError(errno: errno, doing: "syncing \(path)") }
  }
}
