import StorageContract

extension SQLiteBackend {
  /// Returns SQLite's journal mode and sync level for options and durability, or nil if the durability is unavailable.
  static func mode(_ durability: Durability, _ options: Options) -> SQLiteMode? {
    let isApple = options[target] == "apple"
    switch options[journal] {
    case "auto" where durability == .shipped && !isApple: return SQLiteMode(journal: .delete)
    case "auto" where durability == .shipped, "wal" where durability == .shipped && isApple:
      // Apple's library behaves like this in WAL mode, and Core Data chooses it.
      return SQLiteMode(journal: .wal, synchronous: .normal)
    case "delete": return .mode(.delete, durability)
    case "memory": return .mode(.memory, durability)
    default: return .mode(.wal, durability)
    }
  }

  /// The line of code with which an app opens the SQLite database; nil if an option other than the journal mode is set.
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
    return .level(mode.level)
  }

  /// The compiled defaults of Apple's SQLite that differ from Debian's, as pragmas: DEFAULT_CACHE_SIZE=128 (pages),
  /// DEFAULT_JOURNAL_SIZE_LIMIT=32768, DEFAULT_CKPTFULLFSYNC, THREADSAFE=2, and no SECURE_DELETE, which Debian compiles
  /// in and which overwrites deleted content with zeros. Sources: the compile options of iOS 26 in GRDB.swift's issue
  /// 1874, and those of macOS in datasette's issue 396. Page size (4,096), auto-vacuum (off) and autocheckpoint (1,000
  /// pages) are the same in both. These three are set nevertheless, so that a library with other defaults gives the
  /// same results. Checkpoint_fullfsync has no effect on Linux.
  static let applePragmas = """
    PRAGMA page_size=4096; PRAGMA auto_vacuum=0; PRAGMA secure_delete=0; PRAGMA cache_size=128; \
    PRAGMA journal_size_limit=32768; PRAGMA wal_autocheckpoint=1000; PRAGMA checkpoint_fullfsync=1;
    """
}
