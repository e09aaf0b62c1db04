import Foundation
import StorageContract
import Testing

@testable import StorageBackends
@testable import StorageVerify

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

  /// Every backend with its default options and with each other value of one option, at each durability that it has
  /// with them. Without UserDefaults, which needs a separate process.
  static let all: [Configuration] = Backends.all.map { $0.description }.flatMap { description -> [Configuration] in
    guard !["defaults", "keychain", "realm", "null"].contains(description.id) else { return [] }
    let others = description.options.filter { !special.contains($0.name) }.flatMap { spec in
      spec.otherValues.map { ["\(spec.name)=\($0)"] }
    }
    return ([[]] + others).flatMap { options in
      Durability.allCases.map { Configuration(description.id, options, $0) }.filter(\.isPossible)
    }
  }

  /// The options that need another one, or change more than the storage of records.
  private static let special = [
    "ids", "rowid", "synced", "write", "every", "library", "cipher-key", "log", "allocation", "blobs", "undo", "count",
    "cost",
  ]

  private var isPossible: Bool {
    // A configuration with an unknown option or value is kept, and its tests fail.
    guard let (type, options) = try? resolved() else { return true }
    return type.description.missing(for: options) == nil && CheckedBackend(type, options, durability) != nil
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
  static func with<Result>(
    _ configuration: Configuration, collections: [String] = ["records", "odd \"name\" 名"],
    _ body: (Subject) throws -> Result
  ) throws -> Result {
    let directory = try temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try body(Subject(configuration, directory: directory, collections: collections))
  }

  /// Runs a test on an open store, which is then closed and removed.
  static func withStore<Result>(
    _ configuration: Configuration, collections: [String] = ["records", "odd \"name\" 名"],
    _ body: (any StorageBackend) throws -> Result
  ) throws -> Result {
    try with(configuration, collections: collections) { try $0.withOpen(body) }
  }

  /// Runs a test on an open store and its subject. The store is then closed and removed.
  static func withStore<Result>(
    _ configuration: Configuration, collections: [String] = ["records", "odd \"name\" 名"],
    _ body: (any StorageBackend, Subject) throws -> Result
  ) throws -> Result {
    try with(configuration, collections: collections) { subject in try subject.withOpen { try body($0, subject) } }
  }

  /// Runs a test on an open store with a native capability.
  static func withStore<Native, Result>(
    _ configuration: Configuration, collections: [String] = ["records", "odd \"name\" 名"], as native: Native.Type,
    _ body: (any StorageBackend, Native) throws -> Result
  ) throws -> Result {
    try withStore(configuration, collections: collections) { try body($0, try #require($0 as? Native)) }
  }

  /// Runs a test on an open store that many threads may use natively. The store is then closed and removed.
  static func withShared(
    _ configuration: Configuration, _ body: (any SharedStore, Subject) throws -> Void
  ) throws {
    try with(configuration) { subject in
      let shared = try Capability.concurrent(opening: subject.environment(), as: configuration.resolved().type)
      #expect(shared.isNative)
      try body(shared.value, subject)
      try shared.value.close()
    }
  }

  static func temporaryDirectory() throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("backends-\(UUID())").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  func environment() throws -> StoreEnvironment {
    StoreEnvironment(
      directory: directory, options: try configuration.resolved().options, durability: configuration.durability,
      collections: collections)
  }

  func open() throws -> any StorageBackend { try configuration.resolved().type.init(opening: environment()) }

  /// Opens the store, runs the body, and closes the store.
  func withOpen<Result>(_ body: (any StorageBackend) throws -> Result) throws -> Result {
    let store = try open()
    let result = try body(store)
    try store.close()
    return result
  }

  /// Expects that opening a file with these bytes fails and leaves the file unchanged.
  func expectDamage(_ bytes: Data) throws {
    try bytes.write(to: URL(fileURLWithPath: file))
    do {
      try open().close()
      Issue.record("garbage of \(bytes.count) bytes was opened")
    } catch StoreError.damaged {
      #expect(FileManager.default.contents(atPath: file) == bytes)
    }
  }

  func writeFixture(_ records: [Record]) throws {
    try configuration.resolved().type.writeFixture(records, in: environment())
  }

  /// The path of the file with the records.
  var file: String {
    let name =
      switch configuration.backend {
      case let id where configuration.options.contains("split=16"): "store-1.\(id)"
      case "defaults": "storage-bench.plist"
      case "lmdb": "data.mdb"
      case "mdbx": "mdbx.dat"
      case "plist", "archive", "json": "store.\(configuration.backend)"
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
  static let records = [SampleRecords.tricky, SampleRecords.nonFinite, [record(14, "1 MB", payload: noise(1_000_000))]]
    .flatMap { $0 }.sorted { $0.id < $1.id }

  static func record(
    _ id: Int64, _ name: String, group: String = "g", score: Double = 0.1, modified: Double = 1_234.567_89,
    payload: Data = Data("payload".utf8)
  ) -> Record {
    Record(id: id, name: name, group: group, score: score, modified: modified, payload: Array(payload))
  }

  /// Returns bytes without repetition, the same for each seed.
  static func noise(_ count: Int, seed: UInt64 = 1) -> Data { Data(SampleRecords.noise(count, seed: seed)) }
}
