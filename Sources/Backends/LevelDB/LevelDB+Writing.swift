import Foundation
import StorageContract

extension LevelDBBackend {
  func open() throws -> OpaquePointer {
    try requireStoreOrNothing()
    guard let database = try check({ library.open(opening, directory, $0) }) else {
      throw StoreError.failed("leveldb_open reported no error, but returned no database")
    }
    return database
  }

  /// Throws ``StoreError/damaged(_:)`` if the directory has files but no valid `CURRENT`, because LevelDB would delete
  /// these files.
  private func requireStoreOrNothing() throws {
    let manager = FileManager.default
    let names = (try? manager.contentsOfDirectory(atPath: directory)) ?? []
    guard names.contains("CURRENT") else {
      // An interrupted creation leaves only these files. Before LOCK exists, all of them are empty.
      let early: Set = ["LOCK", "LOG", "LOG.old", "MANIFEST-000001", "000001.dbtmp"]
      let isEmpty = names.allSatisfy { manager.contents(atPath: "\(directory)/\($0)")?.isEmpty == true }
      guard early.isSuperset(of: names), isEmpty || names.contains("LOCK") else {
        throw StoreError.damaged("the directory has files, but not the file CURRENT that every LevelDB store has")
      }
      return
    }
    let current = manager.contents(atPath: "\(directory)/CURRENT") ?? Data()
    let name = String(decoding: current, as: UTF8.self).dropFirst("MANIFEST-".count).dropLast()
    guard current.starts(with: Data("MANIFEST-".utf8)), current.last == UInt8(ascii: "\n"), UInt64(name) != nil else {
      throw StoreError.damaged("CURRENT names no manifest")
    }
  }

  /// Writes a batch atomically. A failed batch may stay in LevelDB's log file, so the next write first undoes that
  /// batch. `changes` returns the batch's changes.
  @inline(__always)
  func write(_ batch: OpaquePointer, _ changes: () -> [Change]) throws {
    if undo != nil { try recover() }
    let database = try opened()
    do {
      try check { library.write(database, writing, batch, $0) }
    } catch {
      // The failed batch is not in the memory table, so the previous content can still be read.
      undo = (try? undoing(changes())) ?? []
      throw error
    }
  }

  /// Reopens the LevelDB database after a failed write, and undoes the write. Otherwise, LevelDB would refuse or lose
  /// later writes.
  @discardableResult
  func recover() throws -> OpaquePointer {
    guard readers == 0 else {
      throw StoreError.failed(
        "after a failed commit, no further commit is possible while a read is running; "
          + "end the read, then commit again")
    }
    if let database {
      // The space is checked first, so that a store that cannot be reopened stays readable.
      try requireRoom()
      library.close(database)
      self.database = nil
    }
    let database = try open()
    self.database = database
    if let undo, !undo.isEmpty {
      let batch = library.writebatch_create()
      defer { library.writebatch_destroy(batch) }
      for change in undo {
        switch change.action {
        case .put(let record, let collection): try withUnsafePointer(to: record) { try put($0, in: collection, batch) }
        case .delete(let key, let collection): try delete(key, in: collection, batch)
        }
      }
      try check { library.write(database, writing, batch, $0) }
    }
    undo = nil
    return database
  }

  /// Throws ``StoreError/full(_:)`` if the disk lacks the space to reopen the database, or another error if the
  /// directory is not writable.
  private func requireRoom() throws {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let logs = names.filter { $0.hasSuffix(".log") }.map { name -> Int in
      var status = stat()
      return stat("\(directory)/\(name)", &status) == 0 ? Int(status.st_size) : 0
    }
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return }
    let free = Int(status.f_bavail) * Int(status.f_frsize)
    let needed = logs.reduce(1 << 16, +)
    guard free >= needed else {
      throw StoreError.full(
        "after a failed commit, the next write reopens the database, which needs \(needed) free bytes, "
          + "but only \(free) are left; free some disk space, then try again")
    }
    if access(directory, W_OK) != 0 { throw StoreError(engine: String(cString: strerror(errno)), in: directory) }
  }

  @inline(__always)
  func check<Result>(_ call: (StoreError.Text) -> Result) throws -> Result {
    try StoreError.check(in: directory, damaged: Self.damaged, busy: Self.busy, call)
  }

  // LevelDB reports "Invalid argument" for an empty file, which cannot be mapped.
  private static let damaged = ["Corruption", "NotFound", "does not match existing", ".ldb: Invalid argument"]
  private static let busy = ["already held by process"]
}
