import Foundation
import GRDBSQLite

/// The opening of a SQLite store: checks the model, sets SQLite's options, and creates the tables of a new store.
struct SQLiteOpening {
  let database: SQLiteDatabase
  let model: ManagedObjectModel
  let options: StoreOptions

  /// Opens the database and returns the store's UUID. If a check fails, the file is unchanged.
  func open() throws -> UUID {
    if try isEmpty() {
      try checkWritable()
      // Incremental vacuum, as in Core Data's stores. The setting has an effect only before the first table is created.
      try database.execute("PRAGMA auto_vacuum=2")
      try configure()
      if let identifier = try create() { return identifier }
    }
    let metadata = try database.storeMetadata()
    let needsMigration = try options.needsMigration(database.file, from: metadata.versionHashes, to: model)
    try checkWritable()
    try configure()
    if needsMigration { try SQLiteMigration(database: database, model: model).run() }
    if options.vacuums { try database.execute("VACUUM") }
    return metadata.identifier
  }

  private func isEmpty() throws -> Bool { try database.value("SELECT COUNT(*) FROM sqlite_master") == .integer(0) }

  /// Checks that the database file is writable. SQLite itself would open a write-protected file without an error, and
  /// fail at the first save.
  private func checkWritable() throws {
    guard sqlite3_db_readonly(database.handle, "main") != 0 else { return }
    throw ObjectGraphError.readOnly(file: database.file, "the file or its directory is protected")
  }

  private func configure() throws {
    let journal = try database.value("PRAGMA journal_mode=wal")
    guard journal == .string("wal") else {
      throw ObjectGraphError.store(file: database.file, "journal_mode stays \(journal ?? .null) instead of wal")
    }
    try database.execute("PRAGMA synchronous=\(options.synchronous.rawValue)")
  }

  private func create() throws -> UUID? {
    let identifier = UUID()
    return try database.transaction {
      guard try isEmpty() else { return nil }
      for statement in SQLiteSchema(model: model).creation { try database.execute(statement) }
      try database.write(model, identifier)
      return identifier
    }
  }
}

extension SQLiteStore {
  static func model(at url: URL) throws -> ManagedObjectModel {
    try StoreLocation(url: url).checkDatabase()
    let database = try SQLiteDatabase(path: url.path, busyTimeout: StoreOptions().busyTimeout)
    let model = try database.storedModel(of: try database.storeMetadata())
    try database.close()
    return model
  }
}

extension SQLiteDatabase {
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // If the rollback fails too, SQLite discards the changes when the store is next opened.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Whether a transaction is open. After some errors, SQLite itself has ended the transaction.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  func storeMetadata() throws -> StoreMetadata {
    let found = try value("SELECT COUNT(*) FROM sqlite_master WHERE name IN ('Z_METADATA', 'Z_PRIMARYKEY')")
    guard found == .integer(2) else {
      throw ObjectGraphError.damaged(file: file, "it is a database, but not one of an object graph")
    }
    guard case .string(let uuid)? = try value("SELECT Z_UUID FROM Z_METADATA"),
      case .binary(let list)? = try value("SELECT Z_PLIST FROM Z_METADATA"),
      let metadata = StoreMetadata(identifier: uuid, propertyList: list)
    else { throw ObjectGraphError.damaged(file: file, "Z_METADATA cannot be read") }
    return metadata
  }

  /// Replaces the metadata and the model that are saved in the store. A transaction must be open.
  func write(_ model: ManagedObjectModel, _ identifier: UUID) throws {
    try run("DELETE FROM Z_METADATA")
    try run("DELETE FROM Z_MODELCACHE")
    try run(
      "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
      [.string(identifier.uuidString), .binary(try StoreMetadata.propertyList(of: model))])
    try run("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", [.binary(try ModelArchive(model).encoded())])
  }

  func storedModel(of metadata: StoreMetadata) throws -> ManagedObjectModel {
    guard case .binary(let content)? = try value("SELECT Z_CONTENT FROM Z_MODELCACHE"),
      let model = try? ModelArchive(content)?.model(), model.versionHashes == metadata.versionHashes
    else {
      throw ObjectGraphError.damaged(
        file: file,
        "Z_MODELCACHE does not hold the model that the store was made with; "
          + "open the store with that model, or restore a backup")
    }
    return model
  }

  func run(_ sql: String, _ values: [Value] = []) throws {
    let statement = try SQLiteStatement(sql, self)
    for (index, value) in values.enumerated() { statement.bind(Int32(index + 1), value) }
    try statement.run()
  }
}

extension StoreLocation {
  /// Checks a store's files before SQLite opens them. SQLite would take some damaged files for an empty database.
  func checkDatabase() throws {
    let status = FileCalls.status(of: url.path)
    let (size, linkCount) = (status?.st_size ?? 0, status?.st_nlink ?? 0)
    // SQLite has one log for each file name. A process that uses another name of the file would not see this log.
    guard linkCount <= 1 else {
      throw ObjectGraphError.cannotOpen(
        file: name, "it has \(linkCount) names (hard links), and a database must have one; open a copy of it")
    }
    guard size != 1 else { throw ObjectGraphError.damaged(file: name, "it is a file of one byte") }
    // The main file was deleted, moved or emptied without its log. A new database would lose the log's contents.
    guard size > 0 || FileCalls.status(of: "\(url.path)-wal")?.st_size ?? 0 == 0 else {
      throw ObjectGraphError.damaged(
        file: name,
        "\(name)-wal exists, but \(name) is missing or empty; put \(name) back, or remove \(name)-wal to start afresh")
    }
  }
}
