import StorageContract

extension SQLiteBackend {
  static func mode(_ durability: Durability, _ options: Options) -> SQLiteMode? {
    let isApple = options[target] == "apple"
    switch options[journal] {
    case "auto" where durability == .shipped && !isApple: return SQLiteMode(journal: .delete)
    case "auto" where durability == .shipped, "wal" where durability == .shipped && isApple:
      // Apple's SQLite uses NORMAL in WAL mode, and Core Data chooses WAL.
      return SQLiteMode(journal: .wal, synchronous: .normal)
    case "delete": return .mode(.delete, durability)
    case "memory": return .mode(.memory, durability)
    default: return .mode(.wal, durability)
    }
  }

  /// A closure that returns one line of example code to open a database as this backend does; nil if an option other
  /// than the journal mode is set.
  static let code: @Sendable (Options, Durability) -> String? = { options, durability in
    guard options.without(journal).isEmpty, let mode = mode(durability, options) else { return nil }
    let opening = "sqlite3_open(url.path, &database)"
    return mode.pragmas.isEmpty ? opening : "\(opening); sqlite3_exec(database, \"\(mode.pragmas)\", nil, nil, nil)"
  }

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    if let obstacle = SQLiteKeys.obstacle(options) { return .unavailable(obstacle) }
    guard let mode = mode(durability, options) else {
      return .unavailable("a rollback journal in memory is lost with the process that needs it")
    }
    do {
      return .level(mode.level(of: try SQLiteAccess(options).library))
    } catch {
      return .unavailable("\(error)")
    }
  }

  /// The PRAGMA statements that give SQLite the defaults of Apple's build. `checkpoint_fullfsync` has no effect on
  /// Linux. Sources: compile options of iOS 26 (GRDB.swift, issue 1874) and of macOS (datasette, issue 396).
  static let applePragmas = """
    PRAGMA page_size=4096; PRAGMA auto_vacuum=0; PRAGMA secure_delete=0; PRAGMA cache_size=128; \
    PRAGMA journal_size_limit=32768; PRAGMA wal_autocheckpoint=1000; PRAGMA checkpoint_fullfsync=1;
    """

  @Sendable
  static func deviations(_ options: Options) -> [Deviation] {
    let opensOften = options[connection] == "per-operation" && !["delete", "memory"].contains(options[journal])
    let fullDisk = Deviation(
      .fullDisk, "In WAL mode a full disk prevents reading, too, since each connection must create the log's index.")
    return [SQLiteColumns(options).deviation] + (opensOften ? [fullDisk] : [])
  }
}

extension SQLiteBackend: WriteAheadLogged {
  static func keepsLog(_ durability: Durability, _ options: Options) -> Bool {
    mode(durability, options)?.journal == .wal
  }

  static func useLog(of environment: StoreEnvironment) throws {
    try SQLiteLogUse.fill(file, environment, by: SQLiteAccess(environment.options))
  }
}
