import Foundation
import GRDBSQLite

// After a migration by another process, SQLite would silently recompile statements, and a save could write into wrong
// columns. So SQLite may recompile only after ``checkModel()``.

extension SQLiteDatabase {
  /// Makes the connection detect a migration by another process. The `versionHashes` belong to the expected model.
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

  func compiling<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasCompiling = isCompiling
    isCompiling = true
    defer { isCompiling = wasCompiling }
    return try body()
  }

  /// Checks that the store still has the expected model.
  ///
  /// - Throws: ``ObjectGraphError/incompatibleModel(file:entities:)`` if another process has migrated the store.
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
