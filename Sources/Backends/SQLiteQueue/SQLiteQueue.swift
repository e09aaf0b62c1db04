import StorageContract

// FMDB has no backend, because FMDB needs the Objective-C runtime, which does not exist on Linux.
/// The backend `sqlite-queue`: GRDB's DatabaseQueue (similar to FMDB's FMDatabaseQueue) or DatabasePool, used as GRDB
/// recommends.
final class SQLiteQueueBackend: StorageBackend, Transactional, Concurrent {
  static let pool = OptionSpec("pool", ["no", "yes"], help: "use a DatabaseQueue or a DatabasePool")
  static let decode = OptionSpec(
    "decode", ["row", "codable"], help: "read rows by column index, or as a Decodable record")
  static let journal = OptionSpec(
    "journal", ["auto", "wal", "delete"], help: "journal mode; auto is GRDB's default at shipped, otherwise WAL")

  static let read = OptionSpec(
    "read", ["isolated", "unsafe"],
    help: "read with a transaction, or without one (GRDB's unsafeRead); reads of several statements always have one")

  static let description = BackendDescription(
    id: "sqlite-queue", appearance: Appearance(name: "GRDB", mark: 3),
    summary: "GRDB's DatabaseQueue or DatabasePool (not FMDB's), one block for a batch",
    safety: """
      As sqlite, but in WAL mode GRDB chooses synchronous NORMAL, with which a power cut can undo the last saves, and \
      it writes a few pages whenever it opens a store; FMDB's warnings (open result sets, a database in use) \
      and its settings (logging, crashing on errors) have no counterpart, as errors are thrown.
      """,
    options: [pool, decode, journal, read, SQLiteLogUse.option] + SQLiteFile.options + SQLiteKeys.options,
    kind: { _ in .page }, mapped: { SQLiteFile.isMapped($0) ? .reads : .none },
    // The difference from the backend `sqlite` is the cost of GRDB only with the default keys and settings.
    runsOn: { options in
      (SQLiteFile.options + SQLiteKeys.options).allSatisfy { options[$0] == $0.defaultValue }
        ? "sqlite" : nil
    },
    statements: SQLiteLibrary.statements, statementTexts: SQLiteLibrary.statementTexts, opensWith: { _ in "sqlite3" },
    code: code,
    engineVersion: { "\(SQLiteLibrary.linked.version) through GRDB 7" }, library: { _ in SQLiteLibrary.linkedName },
    compileOptions: { SQLiteLibrary.linked.compileOptions }, unusual: SQLiteLibrary.linked.unusual,
    origin: SQLiteLibrary.linkedFile, knownDefect: SQLiteLibrary.linked.knownDefect,
    deviations: { _ in
      [
        SQLiteRecordSchema.minusZero,
        Deviation(.cutTexts, "A text is cut before its first NUL character, since GRDB passes C strings."),
        Deviation(
          .nestedReads,
          "Entering the store from inside one of its blocks is an error, since the queue would wait for itself."),
        Deviation(
          .failedAllocations,
          "Without memory for a rollback, GRDB ends the process, since a transaction would stay open."),
      ]
    }, aliases: ["grdb", "fmdatabasequeue"])

  let queue: QueueDatabase
  var relations: SQLiteRelations?
  var lists: [QueueList] = []
  /// Whether a collection has a word index. The first search in a collection checks for an index.
  var hasWordIndex: [CollectionID: Bool] = [:]

  /// A closure that returns Swift example code for opening a database, or nil if there is no example for the options.
  private static let code: @Sendable (Options, Durability) -> String? = { options, durability in
    // A sync level other than NORMAL is set after opening, because GRDB itself sets NORMAL in WAL mode on opening.
    let ofMode = [journal, pool, decode, read].reduce(options) { $0.without($1) }
    guard ofMode.isEmpty, let mode = mode(durability, options) else { return nil }
    let isPool = options[pool] == "yes"
    let setsWAL = mode.journal == .wal && !isPool
    let opening =
      (setsWAL ? "var configuration = Configuration(); configuration.journalMode = .wal; " : "")
      + "let database = try \(isPool ? "DatabasePool" : "DatabaseQueue")(path: url.path"
      + (setsWAL ? ", configuration: configuration)" : ")")
    guard let synchronous = mode.synchronous, !(mode.journal == .wal && synchronous == .normal) else { return opening }
    return opening
      + "; try database.writeWithoutTransaction { try $0.execute(sql: \"PRAGMA synchronous=\(synchronous.rawValue)\") }"
  }

  static func mode(_ durability: Durability, _ options: Options) -> SQLiteMode? {
    let isPool = options[pool] == "yes"
    switch options[journal] {
    case "delete": return isPool ? nil : .mode(.delete, durability)
    case "auto" where durability == .shipped && !isPool: return SQLiteMode(journal: .delete)
    // In WAL mode, GRDB sets NORMAL, also if SQLite was compiled with another default.
    case _ where durability == .shipped: return SQLiteMode(journal: .wal, synchronous: .normal)
    default: return .mode(.wal, durability)
    }
  }

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    if let obstacle = SQLiteKeys.obstacle(options) { return .unavailable(obstacle) }
    guard let mode = mode(durability, options) else {
      return .unavailable("a DatabasePool always uses journal mode WAL")
    }
    return .level(mode.level())
  }

  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore { try QueueDatabase(environment) }

  static func readsBesideWriter(_ durability: Durability, _ options: Options) -> Bool { options[pool] == "yes" }

  init(opening environment: StoreEnvironment) throws { queue = try QueueDatabase(environment) }

  var settings: String { queue.settings }

  func commit(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    try queue.write { db in
      for change in changes { try queue.tables.apply(change, db) }
    }
  }

  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result { try queue.write(body) }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try queue.readOnce { db in
      guard let record = try queue.tables.record(key, collection, db) else { return false }
      try queue.lend { try record.withView(body) }
      return true
    }
  }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    try queue.readOnce { db in try queue.tables.record(key, collection, db) }
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try queue.readOnce { db in
      try queue.tables.scan(keys, collection, db) { record in try queue.lend { try record.withView(body) } }
    }
  }

  func count(in collection: CollectionID) throws -> Int {
    try queue.readOnce { db in try queue.tables.count(collection, db) }
  }

  func settle() throws { try queue.settle() }

  func close() throws {
    for list in lists { list.stop() }
    try queue.close()
  }
}

extension SQLiteQueueBackend: Compacting {
  func compact() throws {
    try queue.inBlock { try queue.database.vacuum() }
    // In WAL mode, the file shrinks only at the checkpoint.
    try queue.settle()
  }
}

extension SQLiteQueueBackend: WriteAheadLogged {
  static func keepsLog(_ durability: Durability, _ options: Options) -> Bool {
    mode(durability, options)?.journal == .wal
  }

  static func useLog(of environment: StoreEnvironment) throws { try SQLiteLogUse.fill(QueueDatabase.file, environment) }
}

/// Sharing of a database by several processes, as in GRDB's guide (Documentation.docc/DatabaseSharing.md). Connections
/// wait for locks.
extension SQLiteQueueBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    guard way == .documented else {
      // A deliberate mistake: a transaction takes the write lock only at its first change, as in GRDB before version 7.
      return ProcessShare(try QueueDatabase(environment, defersLock: true), losesNothing: true)
    }
    // The lock file, in place of NSFileCoordinator, lets only one process at a time open the database.
    let opening = try FileLock(at: environment.path("opening.lock"))
    let isPool = environment.options[journal] != "delete"
    return ProcessShare(
      try opening.exclusively { try QueueDatabase(environment, isPool: isPool) }, losesNothing: true)
  }
}
