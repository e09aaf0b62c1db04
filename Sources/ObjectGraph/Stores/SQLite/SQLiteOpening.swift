import Foundation
import GRDBSQLite

/// The opening of a SQLite store: checks the model, sets SQLite's options, and creates the tables of a new store.
extension SQLiteDatabase {
  /// Opens the store for a model and returns the store's UUID. If a check fails, the file is unchanged.
  func openStore(_ model: ManagedObjectModel, _ options: StoreOptions) throws -> UUID {
    if try isEmpty() {
      try checkWritable()
      // Incremental vacuum, as in Core Data's stores. The setting has an effect only before the first table is created.
      try execute("PRAGMA auto_vacuum=2")
      try configure(options)
      if let identifier = try create(model) { return identifier }
    }
    let metadata = try storeMetadata()
    let needsMigration = try options.needsMigration(file, from: metadata.versionHashes, to: model)
    try checkWritable()
    try configure(options)
    if needsMigration { try SQLiteMigration.run(self, to: model) }
    if options.vacuums { try execute("VACUUM") }
    return metadata.identifier
  }

  var settings: String {
    ["journal_mode", "synchronous", "page_size", "wal_autocheckpoint", "cache_size", "auto_vacuum", "secure_delete"]
      .map { name in
        switch try? value("PRAGMA \(name)") {
        case .integer(let value)?: "\(name)=\(value)"
        case .string(let value)?: "\(name)=\(value)"
        default: "\(name)=unknown"
        }
      }.joined(separator: " ")
  }

  private func isEmpty() throws -> Bool { try value("SELECT COUNT(*) FROM sqlite_master") == .integer(0) }

  /// Checks that the database file is writable. SQLite itself would open a write-protected file without an error, and
  /// fail at the first save.
  private func checkWritable() throws {
    let isWritable = sqlite3_db_readonly(handle, "main") == 0
    try require(isWritable, .readOnly(file: file, "the file or its directory is protected"))
  }

  private func configure(_ options: StoreOptions) throws {
    let journal = try value("PRAGMA journal_mode=wal")
    try require(journal == .string("wal"), .store(file: file, "journal_mode stays \(journal ?? .null) instead of wal"))
    try execute("PRAGMA synchronous=\(options.synchronous.rawValue)")
  }

  private func create(_ model: ManagedObjectModel) throws -> UUID? {
    let identifier = UUID()
    return try transaction {
      guard try isEmpty() else { return nil }
      for statement in SQLiteSchema(model: model).creation { try execute(statement) }
      try write(model, identifier)
      return identifier
    }
  }

  // MARK: - Transactions and metadata

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

  typealias StoreMetadata = (identifier: UUID, versionHashes: [String: Data])

  func storeMetadata() throws -> StoreMetadata {
    let found = try value("SELECT COUNT(*) FROM sqlite_master WHERE name IN ('Z_METADATA', 'Z_PRIMARYKEY')")
    try require(found == .integer(2), .damaged(file: file, "it is a database, but not one of an object graph"))
    guard case .string(let text)? = try value("SELECT Z_UUID FROM Z_METADATA"), let uuid = UUID(uuidString: text),
      case .binary(let bytes)? = try value("SELECT Z_PLIST FROM Z_METADATA"),
      let list = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any],
      let hashes = list["NSStoreModelVersionHashes"] as? [String: Data]
    else { throw ObjectGraphError.damaged(file: file, "Z_METADATA cannot be read") }
    return (uuid, hashes)
  }

  /// Replaces the metadata and the model that are saved in the store. A transaction must be open.
  func write(_ model: ManagedObjectModel, _ identifier: UUID) throws {
    let list: [String: Any] = [
      "NSStoreType": "SQLite",
      "NSStoreModelVersionHashes": model.versionHashes,
      "NSStoreModelVersionHashesVersion": 3,
      "NSPersistenceFrameworkVersion": "ObjectGraph of storage-bench, not Core Data",
    ]
    let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    try run("DELETE FROM Z_METADATA")
    try run("DELETE FROM Z_MODELCACHE")
    try run(
      "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
      [.string(identifier.uuidString), .binary([UInt8](bytes))])
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
