import Foundation

/// A store in a SQLite database with the layout of Core Data. A save writes only changed rows.
final class SQLiteStore: StoreEngine {
  let identifier: StoreIdentifier
  let model: ManagedObjectModel
  let settings: String
  let options: StoreOptions
  /// The files of long binary values. Nil if the store has no such files and the model allows none.
  let externalData: ExternalData?
  private let pool: SQLiteConnectionPool
  private let log: SQLiteLog?
  /// The connection of the running save, or of the last save if no save is running.
  private(set) var writer: StoreConnection
  private var isWriting = false

  init(at url: URL, _ model: ManagedObjectModel, _ options: StoreOptions) throws {
    self.model = model
    self.options = options
    try StoreLocation(url: url).checkDatabase()
    let database = try Self.connect(url, options)
    let identifier = StoreIdentifier(try database.openStore(model, options))
    self.identifier = identifier
    let isExternal = model.entities.contains { !$0.externalIndices.isEmpty }
    settings =
      database.settings + " keys=\(options.keys.rawValue)"
      + (isExternal ? " external_from=\(options.externalStorageThreshold)" : "")
    let files = ExternalData(beside: url, options)
    let externalData = isExternal || files.exists ? files : nil
    self.externalData = externalData
    writer = try StoreConnection(database, identifier, model, externalData)
    log = SQLiteLog(of: database)
    pool = SQLiteConnectionPool(writer, limit: options.connectionPoolSize) {
      let database = try Self.connect(url, options)
      try database.execute("PRAGMA synchronous=\(options.synchronous.rawValue)")
      return try StoreConnection(database, identifier, model, externalData)
    }
    // If another process prevents the removal, a later opening of the store removes the files.
    try? removeLostFiles()
  }

  private static func connect(_ url: URL, _ options: StoreOptions) throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(path: url.path, busyTimeout: options.busyTimeout)
    if let trace = options.sqlTrace { database.trace(trace) }
    return database
  }

  static func model(at url: URL) throws -> ManagedObjectModel {
    try StoreLocation(url: url).checkDatabase()
    let database = try SQLiteDatabase(path: url.path, busyTimeout: StoreOptions().busyTimeout)
    let model = try database.storedModel(of: try database.storeMetadata())
    try database.close()
    return model
  }

  // MARK: - Reading

  func borrowReader() throws -> any StoreReader { try pool.borrow() }

  func giveBack(_ reader: any StoreReader) {
    if let connection = reader as? StoreConnection { pool.giveBack(connection) }
  }

  func snapshot() throws -> (any PinnedSnapshot)? { try pool.snapshot() }

  // MARK: - Saving

  var database: SQLiteDatabase { writer.database }

  /// Runs a block with a connection for writing. If a transaction is running, the block uses the connection of this
  /// transaction.
  func writing<Result>(_ body: () throws -> Result) throws -> Result {
    guard !isWriting else { return try body() }
    try startWriting()
    defer { stopWriting() }
    return try body()
  }

  private func startWriting() throws {
    writer = try pool.borrowWriter()
    isWriting = true
  }

  private func stopWriting() {
    guard isWriting else { return }
    isWriting = false
    pool.giveBackWriter(writer)
  }

  var transactionReader: any StoreReader { writer }

  var takesKeysSeparately: Bool { options.keys == .separate }

  func begin() throws {
    let isFirst = !isWriting
    if isFirst { try startWriting() }
    do {
      try database.checkInPlace()
      try log?.checkInPlace()
      try database.statement("BEGIN IMMEDIATE").run()
    } catch {
      if isFirst { stopWriting() }
      throw error
    }
  }

  func commit() throws {
    try externalData?.prepareCommit()
    try database.statement("COMMIT").run()
    externalData?.didCommit()
    // The save is committed in any case. The next opening of the store removes files that cannot be removed now.
    try? removeUnreferencedFiles(minimum: Self.mostUnreferenced)
    stopWriting()
  }

  func rollback() {
    guard isWriting else { return }
    externalData?.rollback()
    writer.rollback()
    stopWriting()
  }

  // MARK: - Closing

  func settle() throws {
    try writing {
      guard case .integer(0)? = try database.value("PRAGMA wal_checkpoint(TRUNCATE)") else {
        let pinned = pool.snapshotCount
        throw ObjectGraphError.busy(
          file: database.file,
          pinned == 0
            ? "the checkpoint was blocked by another reader or writer; call settle() again when it has ended"
            : "the checkpoint was blocked; contexts are pinned to \(pinned) query generations: unpin them")
      }
      try removeUnreferencedFiles(minimum: 1)
    }
  }

  func close() throws {
    try? writing { try removeUnreferencedFiles(minimum: 1) }
    try pool.close()
  }
}
