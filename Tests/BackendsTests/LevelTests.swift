import Foundation
import GRDBSQLite
import StorageContract
import Testing

@testable import StorageBackends

@Suite struct LevelTests {
  /// Returns the settings that a store reports.
  static func settings(_ configuration: Configuration) throws -> Settings {
    try Subject.withStore(configuration) { Settings($0.settings) }
  }

  private static func code(_ configuration: Configuration) throws -> String? {
    let (type, options) = try configuration.resolved()
    return type.description.code(options, configuration.durability)
  }

  @Test(
    arguments: [
      ("sqlite", [], Durability.shipped, "sqlite3_open(url.path, &database)"),
      ("sqlite-queue", ["pool=yes"], .shipped, "let database = try DatabasePool(path: url.path)"),
      (
        "plist", [], .durable,
        "try PropertyListEncoder().encode(records).write(to: url, options: .atomic); "
          + "try FileHandle(forReadingFrom: folder).synchronize()"
      ),
      ("plist", ["atomic=no"], .shipped, nil), ("archive", [], .crash, nil),
      ("defaults", [], .shipped, "UserDefaults.standard.set(data, forKey: key); UserDefaults.standard.synchronize()"),
      ("sqlite", ["as=apple"], .shipped, nil), ("sqlite-queue", ["mmap=1MiB"], .shipped, nil),
      ("lmdb", ["map=1GiB"], .shipped, nil), ("object-graph", ["store=xml"], .shipped, nil),
      ("lmdb", [], .durable, "mdb_env_open(environment, url.path, UInt32(MDB_NOTLS), 0o644)"),
      ("lmdb", [], .crash, "mdb_env_open(environment, url.path, UInt32(MDB_NOTLS | MDB_NOSYNC), 0o644)"),
      ("object-graph", [], .shipped, "let container = NSPersistentContainer(name: \"Model\")"),
      (
        "object-graph", [], .durable,
        "description.setOption([\"synchronous\": \"FULL\"] as NSDictionary, forKey: NSSQLitePragmasOption)"
      ),
    ] as [(String, [String], Durability, String?)])
  func codeForAnApp(_ backend: String, _ options: [String], _ durability: Durability, _ line: String?) throws {
    #expect(try Self.code(Configuration(backend, options, durability)) == line)
  }

  /// The pragmas in the line are those of the store.
  @Test(arguments: ["sqlite", "sqlite-queue"], [Durability.crash, .intact, .durable])
  func codeSetsWhatTheStoreHas(_ backend: String, _ durability: Durability) throws {
    for journal in ["auto", "delete"] {
      let configuration = Configuration(backend, ["journal=\(journal)"], durability)
      let line = try #require(try Self.code(configuration))
      let settings = try Self.settings(configuration)
      let number = try #require(settings["synchronous"].flatMap { Int($0) })
      // GRDB sets NORMAL itself in WAL mode.
      let isOwn = backend == "sqlite-queue" && journal == "auto" && durability == .intact
      #expect(isOwn || line.contains("synchronous=\(["OFF", "NORMAL", "FULL", "EXTRA"][number])"), "\(line)")
      let setsWAL = line.contains("journal_mode=WAL") || line.contains("journalMode = .wal")
      #expect(setsWAL == (settings["journal_mode"] == "wal"), "\(line)")
    }
  }

  /// Backend and options, and the resulting levels of shipped, crash, intact and durable; nil for n/a.
  static let promises: [(String, [String], [Level?])] = [
    ("plist", [], [.intact, .crash, .intact, .durable]),
    ("plist", ["atomic=no"], [.fragile, nil, nil, nil]),
    ("plist", ["split=16"], [.crash, .crash, .durable, .durable]),
    ("plist", ["split=16", "atomic=no"], [.fragile, nil, nil, nil]),
    ("plist", ["write=debounced", "every=5s"], [.volatile, nil, nil, nil]),
    ("json", ["write=debounced", "resident=no"], [nil, nil, nil, nil]),
    ("archive", ["write=debounced", "split=16"], [nil, nil, nil, nil]),
    ("defaults", ["write=debounced"], [.volatile, nil, nil, nil]),
    ("defaults", ["write=debounced", "synchronize=no"], [nil, nil, nil, nil]),
    ("plist", ["every=5s"], [nil, nil, nil, nil]),
    ("archive", [], [.intact, .crash, .intact, .durable]),
    ("archive", ["atomic=no"], [.fragile, nil, nil, nil]),
    ("defaults", [], [.fragile, nil, nil, nil]),
    ("sqlite", [], [.intact, .crash, .intact, .durable]),
    ("sqlite", ["journal=delete"], [.intact, .crash, .intact, .durable]),
    ("sqlite", ["journal=memory"], [.fragile, nil, nil, nil]),
    ("sqlite", ["as=apple"], [.intact, .crash, .intact, .durable]),
    ("sqlite", ["journal=wal", "as=apple"], [.intact, .crash, .intact, .durable]),
    ("sqlite", ["journal=delete", "as=apple"], [.intact, .crash, .intact, .durable]),
    ("sqlite-queue", [], [.intact, .crash, .intact, .durable]),
    ("sqlite-queue", ["journal=wal"], [.intact, .crash, .intact, .durable]),
    ("sqlite-queue", ["journal=delete"], [.intact, .crash, .intact, .durable]),
    ("sqlite-queue", ["pool=yes"], [.intact, .crash, .intact, .durable]),
    ("sqlite-queue", ["pool=yes", "journal=delete"], [nil, nil, nil, nil]),
    ("lmdb", [], [.durable, .crash, .intact, .durable]),
    ("lmdb", ["sync=nometasync"], [.intact, .crash, .intact, nil]),
    ("lmdb", ["writemap=yes"], [.durable, .crash, .intact, .durable]),
    ("mdbx", [], [.durable, .crash, .durable, .durable]),
    ("mdbx", ["sync=nometasync"], [.crash, .crash, nil, nil]),
    ("leveldb", [], [.crash, .crash, .durable, .durable]),
    ("object-graph", [], [.intact, .crash, .intact, .durable]),
    ("object-graph", ["store=binary"], [.intact, .crash, .intact, .durable]),
    ("object-graph", ["store=xml"], [.intact, .crash, .intact, .durable]),
    ("object-graph", ["store=memory"], [.volatile, nil, nil, nil]),
    ("json", [], [.intact, .crash, .intact, .durable]),
    ("json", ["atomic=no"], [.fragile, nil, nil, nil]),
    ("text", [], [.intact, .crash, .intact, .durable]),
    ("text", ["append=yes"], [.durable, .crash, .intact, .durable]),
    ("files", [], [.crash, .crash, .durable, .durable]),
    ("memory", [], [.volatile, nil, nil, nil]),
    ("null", [], [.volatile, nil, nil, nil]),
  ]

  @Test(arguments: promises)
  func promisesFollowTheTable(_ backend: String, _ texts: [String], _ levels: [Level?]) throws {
    let (type, options) = try Configuration(backend, texts).resolved()
    for (durability, level) in zip(Durability.allCases, levels) {
      switch type.promise(durability, options) {
      case .level(let promised): #expect(promised == level, "\(backend) \(texts) \(durability)")
      case .unavailable(let reason):
        #expect(level == nil, "\(backend) \(texts) \(durability)")
        #expect(!reason.isEmpty)
      }
    }
  }

  @Test func shippedWALFollowsTheLibrary() throws {
    let (type, options) = try Configuration("sqlite", ["journal=wal"]).resolved()
    let expected: Level = sqlite3_compileoption_used("DEFAULT_WAL_SYNCHRONOUS=1") == 1 ? .intact : .durable
    #expect(type.promise(.shipped, options) == .level(expected))
  }

  /// Options, and journal mode and synchronous for shipped, crash, intact and durable, as read back from the engine.
  static let pragmas: [(String, [String], [String])] = [
    ("sqlite", [], ["delete 2", "wal 0", "wal 1", "wal 2"]),
    ("sqlite", ["journal=wal"], ["wal *", "wal 0", "wal 1", "wal 2"]),
    ("sqlite", ["journal=delete"], ["delete 2", "delete 0", "delete 2", "delete 3"]),
    ("sqlite", ["journal=memory"], ["memory 2"]),
    ("sqlite", ["as=apple"], ["wal 1", "wal 0", "wal 1", "wal 2"]),
    ("sqlite", ["connection=per-operation"], ["delete 2", "wal 0", "wal 1", "wal 2"]),
    ("sqlite-queue", [], ["delete 2", "wal 0", "wal 1", "wal 2"]),
    ("sqlite-queue", ["journal=wal"], ["wal 1", "wal 0", "wal 1", "wal 2"]),
    ("sqlite-queue", ["journal=delete"], ["delete 2", "delete 0", "delete 2", "delete 3"]),
    ("sqlite-queue", ["pool=yes"], ["wal 1", "wal 0", "wal 1", "wal 2"]),
    ("object-graph", [], ["wal 1", "wal 0", "wal 1", "wal 2"]),
  ]

  @Test(arguments: pragmas)
  func pragmasFollowTheLevel(_ backend: String, _ texts: [String], _ modes: [String]) throws {
    let compiled = sqlite3_compileoption_used("DEFAULT_WAL_SYNCHRONOUS=1") == 1 ? "1" : "2"
    for (durability, mode) in zip(Durability.allCases, modes) {
      let pragmas = mode.replacing(" ", with: " synchronous=").replacing("*", with: compiled)
      try Self.expectSettings(Configuration(backend, texts, durability), "page_size=4096 journal_mode=\(pragmas)")
    }
  }

  @Test(arguments: ["sqlite", "sqlite-queue"], ["delete", "wal"])
  func pagesAndTheMapAreAsAsked(backend: String, journal: String) throws {
    for (options, settings) in [
      ([], "page_size=4096 mmap_size=0"), (["page=16384", "mmap=1MiB"], "page_size=16384 mmap_size=1048576"),
    ] {
      let configuration = Configuration(backend, options + ["journal=\(journal)"])
      try Self.expectSettings(configuration, "\(settings) journal_mode=\(journal)")
    }
  }

  @Test(arguments: ["sqlite", "sqlite-queue", "object-graph"])
  func settingsSayWhatTheLibraryWasCompiledWith(backend: String) throws {
    let configuration = Configuration(backend)
    let unusual = try configuration.resolved().type.description.unusual
    #expect(try Self.settings(configuration)["compiled"] == unusual)
    #expect((unusual?.contains("SECURE_DELETE") == true) == (sqlite3_compileoption_used("SECURE_DELETE") == 1))
  }

  private static let tuned = ["cache=64MiB", "temp=memory", "autocheckpoint=100", "secure-delete=off", "journal=wal"]
  private static let tunedSettings = "cache_size=-65536 temp_store=2 wal_autocheckpoint=100 secure_delete=0"

  /// Backend, options and durability, and some of the settings that the store reports.
  @Test(
    arguments: [
      ("sqlite", tuned, .shipped, tunedSettings), ("sqlite-queue", tuned, .shipped, tunedSettings),
      (
        "sqlite", ["as=apple"], .shipped,
        "secure_delete=0 cache_size=128 journal_size_limit=32768 wal_autocheckpoint=1000 auto_vacuum=0 "
          + "threading=multi-thread"
      ),
      ("lmdb", [], .shipped, "nosync=no nometasync=no mapsize=67108864"),
      ("lmdb", [], .crash, "nosync=yes nometasync=no"), ("lmdb", [], .intact, "nosync=no nometasync=yes"),
      ("lmdb", [], .durable, "nosync=no nometasync=no"),
      ("lmdb", ["sync=nometasync"], .shipped, "nosync=no nometasync=yes"),
      ("lmdb", ["sync=nometasync"], .crash, "nosync=yes nometasync=no"),
      ("plist", ["format=xml"], .shipped, "fsync=yes directory_fsync=no format=xml"),
      ("plist", [], .crash, "fsync=no directory_fsync=no"), ("plist", [], .intact, "fsync=yes directory_fsync=no"),
      ("plist", [], .durable, "fsync=yes directory_fsync=yes"),
    ] as [(String, [String], Durability, String)])
  func settingsAreInForce(backend: String, options: [String], durability: Durability, expected: String) throws {
    try Self.expectSettings(Configuration(backend, options, durability), expected)
  }

  static func expectSettings(_ configuration: Configuration, _ expected: String) throws {
    let settings = try settings(configuration)
    for (key, value) in Settings(expected).pairs {
      #expect(settings[key] == value, "\(configuration.testDescription) \(key)")
    }
  }

  @Test(arguments: ["sqlite", "sqlite-queue", "object-graph", "lmdb"])
  func settingsOfSharedStoresSayTheFormOfKeys(_ backend: String) throws {
    try Subject.with(Configuration(backend, ["ids=uuid4"])) { subject in
      let type = try #require(subject.configuration.resolved().type as? any Concurrent.Type)
      let shared = try type.openShared(subject.environment())
      #expect(Settings(shared.settings)["ids"] == "uuid4", "\(shared.settings)")
      try shared.close()
    }
  }

  /// Source: docs/explanation/apple.md on Debian's library. Needs a library with Debian's compile options.
  @Test(.enabled(if: sqlite3_compileoption_used("SECURE_DELETE") == 1, "SQLite is not compiled as in Debian"))
  func debianSettingsAreInForce() throws {
    try Self.expectSettings(
      Configuration("sqlite"),
      "secure_delete=1 cache_size=-2000 journal_size_limit=-1 wal_autocheckpoint=1000 threading=serialized")
  }

  /// The level of an earlier connection must not persist in the file.
  @Test func theLevelIsTheConnectionsNotTheFiles() throws {
    let directory = try Subject.temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    for (durability, number) in [(Durability.crash, "0"), (.durable, "2"), (.intact, "1")] {
      let store = try Subject(Configuration("sqlite", [], durability), directory: directory).open()
      #expect(Settings(store.settings)["synchronous"] == number)
      try store.close()
    }
  }
}

/// Settings of the form `key=value`.
struct Settings {
  let pairs: [String: String]

  init(_ text: String) {
    pairs = Dictionary(
      text.split(separator: " ").map { pair in
        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
      }, uniquingKeysWith: { first, _ in first })
  }

  subscript(key: String) -> String? { pairs[key] }
}
