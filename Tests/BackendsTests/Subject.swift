import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// A backend with options and a durability, as the argument of a test.
struct Configuration: Sendable, CustomTestStringConvertible {
  let backend: String
  let options: [String]
  let durability: Durability

  init(_ backend: String, _ options: [String] = [], _ durability: Durability = .shipped) {
    self.backend = backend
    self.options = options
    self.durability = durability
  }

  var testDescription: String { ([backend] + options + [durability.rawValue]).joined(separator: ":") }

  /// Returns the backend's class and its parsed options.
  func resolved() throws -> (type: any StorageBackend.Type, options: Options) {
    let type = try #require(Backends.all.first { $0.description.id == backend })
    return (type, try Options(parsing: options, specs: type.description.options, owner: backend))
  }

  /// Every combination of option values that is possible at some level, without UserDefaults, which needs a separate
  /// process.
  static let all: [Configuration] = [
    grid("plist", [["format=binary", "format=xml"], ["coder=codable", "coder=serialization"]], atomicAndResident),
    grid("archive", [], atomicAndResident),
    ["plist", "archive", "json"].flatMap { grid($0, [["split=16"]], atomicAndResident) },
    grid(
      "sqlite",
      [
        ["journal=auto", "journal=wal", "journal=delete", "journal=memory"],
        ["statements=cached", "statements=fresh"], ["connection=kept", "connection=per-operation"],
        ["as=debian", "as=apple"],
      ], []),
    grid(
      "sqlite-queue",
      [
        ["pool=no", "pool=yes"], ["decode=row", "decode=codable"],
        ["journal=auto", "journal=wal", "journal=delete"],
      ], []),
    grid("sqlite-queue", [["pool=no", "pool=yes"], ["read=unsafe"]], []),
    grid("sqlite", [["columns=json"], ["connection=kept", "connection=per-operation"]], []),
    grid("sqlite", [["page=8192", "page=16384"], ["mmap=0", "mmap=1MiB"]], []),
    SQLiteChecksums.obstacle == nil ? grid("sqlite", [["checksums=yes"], ["journal=wal", "journal=delete"]], []) : [],
    grid("sqlite-queue", [["pool=no", "pool=yes"], ["page=16384"], ["mmap=1MiB"]], []),
    grid(
      "sqlite",
      [
        ["cache=64kB"], ["temp=memory"], ["autocheckpoint=2"], ["secure-delete=off", "secure-delete=fast"],
        ["journal=wal"],
      ], []),
    grid(
      "lmdb",
      [["sync=auto", "sync=nometasync"], ["writemap=no", "writemap=yes"], ["map=auto", "map=16MiB"]], []),
    [Configuration("lmdb", ["readahead=no"]), Configuration("lmdb", ["named=yes"])],
    MDBXBackend.description.missing() == nil
      ? grid("mdbx", [["sync=auto", "sync=nometasync"], ["writemap=no", "writemap=yes"]], [])
        + [Configuration("mdbx", ["named=yes"])] : [],
    LevelDBLibrary.installed == nil
      ? []
      : grid(
        "leveldb", [["compression=snappy", "compression=no"], ["verify=no", "verify=yes"]],
        [["filter=bloom", "filter=no"]]) + grid("leveldb", [["cache=64kB"]], []),
    grid("object-graph", [["store=sqlite", "store=binary", "store=xml", "store=memory"]], []),
    grid("archive", [["secure=yes", "secure=no"], ["root=array", "root=keys"]], []),
    grid("json", [], atomicAndResident),
    grid("text", [["append=no", "append=yes"]], []),
    grid("files", [["fan=1", "fan=256"]], []),
    [Configuration("memory"), Configuration("nscache")],
  ].flatMap { $0 }

  private static let atomicAndResident = [["atomic=yes", "atomic=no"], ["resident=yes", "resident=no"]]

  private static func grid(_ id: String, _ lists: [[String]], _ more: [[String]]) -> [Configuration] {
    var rows: [[String]] = [[]]
    for values in lists + more { rows = rows.flatMap { row in values.map { row + [$0] } } }
    return rows.flatMap { row in
      Durability.allCases.map { Configuration(id, row, $0) }.filter { configuration in
        guard let (type, options) = try? configuration.resolved() else { return true }
        if case .level = type.promise(configuration.durability, options) { return true }
        return false
      }
    }
  }

  /// One configuration for each backend and options, at the level that is shipped.
  static let shipped = all.filter { $0.durability == .shipped }

  /// The configurations that keep a file.
  static let stored = all.filter {
    !["memory", "nscache"].contains($0.backend) && !$0.options.contains("store=memory")
  }
}

/// A store in a separate directory.
struct Subject {
  let directory: String
  let collections: [String]
  let configuration: Configuration

  /// Creates a store in a directory that the caller removes.
  init(_ configuration: Configuration, directory: String, collections: [String] = ["records", "odd \"name\" 名"]) {
    self.configuration = configuration
    self.directory = directory
    self.collections = collections
  }

  /// Runs a test on a store whose directory is removed afterwards.
  static func with(
    _ configuration: Configuration, collections: [String] = ["records", "odd \"name\" 名"],
    _ body: (Subject) throws -> Void
  ) throws {
    let directory = try temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(Subject(configuration, directory: directory, collections: collections))
  }

  /// Runs a test on an open store, which is then closed and removed.
  static func withStore(
    _ configuration: Configuration, collections: [String] = ["records", "odd \"name\" 名"],
    _ body: (any StorageBackend) throws -> Void
  ) throws {
    try with(configuration, collections: collections) { subject in
      let store = try subject.open()
      try body(store)
      try store.close()
    }
  }

  /// Runs a test on an open store with a native capability.
  static func withStore<Native>(
    _ configuration: Configuration, collections: [String] = ["records", "odd \"name\" 名"], as native: Native.Type,
    _ body: (any StorageBackend, Native) throws -> Void
  ) throws {
    try withStore(configuration, collections: collections) { try body($0, try #require($0 as? Native)) }
  }

  static func temporaryDirectory() throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("backends-\(UUID())").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  func environment() throws -> StoreEnvironment {
    StoreEnvironment(
      directory: directory, options: try configuration.resolved().options,
      durability: configuration.durability,
      collections: collections)
  }

  func open() throws -> any StorageBackend { try configuration.resolved().type.init(opening: environment()) }

  func writeFixture(_ records: [Record]) throws {
    try configuration.resolved().type.writeFixture(records, in: environment())
  }

  /// The path of the file with the records.
  var file: String {
    let name =
      switch configuration.backend {
      case let id where configuration.options.contains("split=16"): "store-1.\(id)"
      case "plist": "store.plist"
      case "archive": "store.archive"
      case "defaults": "storage-bench.plist"
      case "lmdb": "data.mdb"
      case "mdbx": "mdbx.dat"
      case "json": "store.json"
      case "files": configuration.options.contains("fan=256") ? "records.collection/01/1" : "records.collection/1"
      case "text": configuration.options.contains("append=yes") ? "store.log" : "store.txt"
      case "leveldb": "CURRENT"
      case "object-graph" where configuration.options.contains("store=binary"): "store.binary"
      case "object-graph" where configuration.options.contains("store=xml"): "store.xml"
      default: "store.sqlite"
      }
    return "\(directory)/\(name)"
  }
}

/// Records with values that stores have handled wrongly.
enum Tricky {
  static let records: [Record] = [
    record(.min, "smallest key"),
    record(-2, "", group: "", payload: Data()),
    record(-1, "NUL\0inside\0", group: "\0"),
    record(0, "名前 — 日本語 한국어 中文", group: "グループ"),
    record(1, "👩‍👩‍👧‍👦 🇨🇭 e\u{301} \u{e9}", group: "🧪", score: .infinity, modified: -.infinity),
    record(2, "not a number", score: .nan, modified: 0.1 + 0.2),
    record(3, "minus zero", score: -0.0, modified: 799_999_999.123_456_7),
    record(4, "smallest", score: .leastNonzeroMagnitude, modified: -.greatestFiniteMagnitude),
    record(5, "quotes ' \" \\ <&>\r\n\t", group: "O'Brien\"; DROP TABLE records; --", score: 1e300),
    record(6, "whole numbers", score: 9_007_199_254_740_992, modified: 5),
    record(7, "all bytes", payload: Data((0...255).map { UInt8($0) })),
    record(8, "1 MB", payload: noise(1_000_000)),
    record(.max, "largest key", score: -1.5),
  ]

  static func record(
    _ id: Int64, _ name: String, group: String = "g", score: Double = 0.1, modified: Double = 1_234.567_89,
    payload: Data = Data("payload".utf8)
  ) -> Record {
    Record(id: id, name: name, group: group, score: score, modified: modified, payload: Array(payload))
  }

  /// Returns bytes without repetition, the same for each seed.
  static func noise(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed
    return Data(
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      })
  }
}
