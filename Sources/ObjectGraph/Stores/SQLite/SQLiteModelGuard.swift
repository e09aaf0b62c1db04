import Foundation
import GRDBSQLite

// Another process may migrate a store that is open here. SQLite silently recompiles statements when tables have
// changed. After a migration the columns may have another meaning, and a save would write names into titles. Therefore,
// nothing is recompiled before the store has confirmed that its model is the same. As long as no table changes, this
// costs nothing.

extension SQLiteDatabase {
  /// Notices from now on when another connection makes the store one of another model.
  func guardModel(_ versionHashes: [String: Data]) {
    guardedHashes = versionHashes
    sqlite3_set_authorizer(
      handle,
      { database, _, _, _, _, _ in
        guard let database else { return SQLITE_OK }
        let isWanted = Unmanaged<SQLiteDatabase>.fromOpaque(database).takeUnretainedValue().isCompiling
        return isWanted ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Lets SQLite compile statements while the block runs.
  func compiling<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasCompiling = isCompiling
    isCompiling = true
    defer { isCompiling = wasCompiling }
    return try body()
  }

  /// Checks, when tables have changed, that the store is still of the same model: somebody may have migrated it, or only
  /// given back room.
  ///
  /// - Throws: ``ObjectGraphError/incompatibleModel(file:entities:)``, from then on for every statement.
  func checkModel() throws {
    guard let guardedHashes else { return }
    let found = try compiling { try storeMetadata() }.versionHashes
    guard found != guardedHashes else { return }
    let entities = Set(found.keys).union(guardedHashes.keys).filter { found[$0] != guardedHashes[$0] }.sorted()
    let error = ObjectGraphError.incompatibleModel(file: file, entities: entities)
    migrated = error
    throw error
  }
}

extension SQLiteDatabase {
  /// Checks before something is written that the file is still where it was opened: what is written into one that was
  /// deleted or replaced is lost, and SQLite says nothing in WAL mode.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)``.
  func checkInPlace() throws {
    var hasMoved: Int32 = 0
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK, hasMoved != 0 else {
      return
    }
    throw ObjectGraphError.store(
      file: file, "somebody has moved, deleted or replaced it since it was opened here; put it back, or open it again")
  }
}
