import Foundation
import StorageContract

/// Opening the database, writing to it, and opening it again after a failed write.
extension LevelDBBackend {
  /// Opens the database, or makes an empty one where there is nothing.
  func open() throws -> OpaquePointer {
    try requireStoreOrNothing()
    guard let database = try check({ library.open(objects.opening, directory, $0) }) else {
      throw StoreError.failed("leveldb_open: no database")
    }
    return database
  }

  /// LevelDB would make an empty store beside what is left of one that has lost its `CURRENT`, and then remove the rest.
  private func requireStoreOrNothing() throws {
    let manager = FileManager.default
    let names = (try? manager.contentsOfDirectory(atPath: directory)) ?? []
    guard names.contains("CURRENT") else {
      // The files of an interrupted creation of a store. Until there is a LOCK, no file has content.
      let early: Set = ["LOCK", "LOG", "LOG.old", "MANIFEST-000001", "000001.dbtmp"]
      let isEmpty = names.allSatisfy { manager.contents(atPath: "\(directory)/\($0)")?.isEmpty == true }
      guard early.isSuperset(of: names), isEmpty || names.contains("LOCK") else {
        throw StoreError.damaged("the directory has files, but no CURRENT as every LevelDB store")
      }
      return
    }
    let current = manager.contents(atPath: "\(directory)/CURRENT") ?? Data()
    let name = String(decoding: current, as: UTF8.self).dropFirst("MANIFEST-".count).dropLast()
    guard current.starts(with: Data("MANIFEST-".utf8)), current.last == UInt8(ascii: "\n"), UInt64(name) != nil else {
      throw StoreError.damaged("CURRENT names no manifest")
    }
  }

  /// Writes a batch, all of it or nothing.
  ///
  /// - Parameter changes: What is in it.
  @inline(__always)
  func write(_ batch: OpaquePointer, _ changes: () -> [Change]) throws {
    if undo != nil { try recover() }
    let database = try opened()
    do {
      try check { library.write(database, objects.writing, batch, $0) }
    } catch {
      // The table in memory has not heard of the batch: what was there before can still be read.
      undo = (try? undoing(changes())) ?? []
      throw error
    }
  }

  /// Opens the database again after a write that failed, and takes back what that may have left in the log.
  ///
  /// After a failed sync LevelDB refuses every further write. After a failed write it goes on, but where it believes the
  /// log to end is no longer where it ends: what was saved from then on would be lost when the log is read again. A new
  /// log, which opening begins, has neither problem; but the batch may have reached the old one.
  @discardableResult
  func recover() throws -> OpaquePointer {
    guard readers == 0 else {
      throw StoreError.failed(
        "after a failed commit, no other is possible during a read; end the read, then commit again")
    }
    if let database {
      // A store that cannot be opened again is better read as it is.
      try requireRoom()
      library.close(database)
      self.database = nil
    }
    let database = try open()
    self.database = database
    if let undo, !undo.isEmpty {
      let batch = library.makeBatch()
      defer { library.endBatch(batch) }
      for change in undo {
        switch change.action {
        case .put(let record, let collection): try withUnsafePointer(to: record) { try put($0, in: collection, batch) }
        case .delete(let key, let collection): try delete(key, in: collection, batch)
        }
      }
      try check { library.write(database, objects.writing, batch, $0) }
    }
    undo = nil
    return database
  }

  /// Opening copies the log to a sorted file, and writes a manifest.
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
    guard free >= needed else { throw StoreError.full("\(needed) bytes are needed to open the store again") }
    if access(directory, W_OK) != 0 { throw StoreError(engine: String(cString: strerror(errno)), in: directory) }
  }

  /// Calls LevelDB and throws what its error text says.
  @inline(__always)
  func check<Result>(_ call: (StoreError.Text) -> Result) throws -> Result {
    try StoreError.check(in: directory, damaged: Self.damaged, busy: Self.busy, call)
  }

  // A file that cannot be mapped is empty.
  private static let damaged = ["Corruption", "NotFound", "does not match existing", ".ldb: Invalid argument"]
  private static let busy = ["already held by process"]
}
