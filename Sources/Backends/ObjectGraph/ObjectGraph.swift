import Foundation
import ObjectGraph
import StorageContract

/// The backend `object-graph`: a Core Data work-alike written for this project, with one managed object context. Each
/// commit is one save.
final class ObjectGraphBackend: RecordBackend {
  static let store = OptionSpec(
    "store", ["sqlite", "binary", "xml", "memory"],
    help: "a database; a binary or XML property list, rewritten whole; or memory only")

  static let allocation = OptionSpec(
    "allocation", ["separate", "joined"],
    help: "allocate keys of new objects in a separate transaction, as Core Data does, or in that of the save")
  static let databaseFile = "store.sqlite"
  private static let databaseDeviations = [SQLiteRecordSchema.minusZero]
  static let blobs = OptionSpec(
    "blobs", ["inline", "external"],
    help: "keep payloads in the store, or those of 128 KiB and more in files beside a database")
  static let undo = OptionSpec(
    "undo", ["no", "yes"], help: "give the context an undo manager, which keeps the changes of all saves in memory")

  static let description = BackendDescription(
    id: "object-graph", appearance: Appearance(name: "Core Data work-alike", mark: 1),
    summary: "our own object graph with Core Data's rules, not Apple's Core Data",
    safety: """
      At shipped, a power cut can lose the last saves (WAL with synchronous NORMAL, as in Core Data); store=binary and \
      store=xml write every record at each save; its times are not those of Core Data.
      """,
    options: [store, allocation, blobs, undo, KeyForm.option, SQLiteLogUse.option],
    kind: { format($0).kind },
    // The difference from the backend `sqlite` is the cost of the object graph only if the keys are integers.
    runsOn: { $0[store] == "sqlite" && KeyForm($0).isOrdered ? "sqlite" : nil },
    statements: SQLiteLibrary.statements, statementTexts: SQLiteLibrary.statementTexts,
    opensWith: { format($0).tool },
    code: { options, durability in
      // The code is for Core Data, which this backend imitates. Core Data itself sets WAL and NORMAL.
      guard options.isEmpty, durability == .durable || durability == .crash else {
        return options.isEmpty ? "let container = NSPersistentContainer(name: \"Model\")" : nil
      }
      let word = durability == .durable ? "FULL" : "OFF"
      return "description.setOption([\"synchronous\": \"\(word)\"] as NSDictionary, forKey: NSSQLitePragmasOption)"
    },
    engineVersion: { "ObjectGraph over \(SQLiteLibrary.linked.version)" },
    library: { $0[store] == "sqlite" ? SQLiteLibrary.linkedName : nil },
    compileOptions: { SQLiteLibrary.linked.compileOptions }, unusual: SQLiteLibrary.linked.unusual,
    origin: SQLiteLibrary.linkedFile, knownDefect: SQLiteLibrary.linked.knownDefect,
    deviations: { format($0).deviations }, likeness: likeness, aliases: ["coredata", "swiftdata"])

  /// Returns the properties of the selected type of store. `tool` is the name of a program that can open the file.
  static func format(
    _ options: Options
  ) -> (type: StoreType, file: String, kind: EngineKind, tool: String?, deviations: [Deviation]) {
    switch options[store] {
    case "binary": (.binary, "store.binary", .wholeFile, "plutil", FoundationFormats.deviations)
    case "xml": (.xml, "store.xml", .wholeFile, "plutil", [])
    case "memory": (.inMemory, "", .memory, nil, [])
    default: (.sqlite, databaseFile, .page, "sqlite3", databaseDeviations)
    }
  }

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    guard options[blobs] == "inline" || options[store] == "sqlite" else {
      return .unavailable("only a database keeps payloads in files of their own; the other stores hold them all")
    }
    return switch (options[store], durability) {
    case ("memory", .shipped): .level(.volatile)
    case ("memory", _): .unavailable("it keeps nothing outside the process")
    case (_, .shipped), (_, .intact): .level(.intact)
    case (_, .crash): .level(.crash)
    case (_, .durable): .level(.durable)
    }
  }

  let graph: RecordGraph
  var isInTransaction = false
  weak var second: SecondContext?

  init(opening environment: StoreEnvironment) throws { graph = try RecordGraph(environment) }

  var settings: String { graph.settings }

  func commit(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    try saving { try graph.apply(changes) }
  }

  func saving(_ change: () throws -> Void) throws {
    guard !isInTransaction else { throw StoreError.changeBesideTransaction }
    try StoreError.translating { try graph.saving(change) }
  }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? { try graph.record(key, in: collection) }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try graph.scan(keys, in: collection, body)
  }

  func records(_ keys: ClosedRange<Int64>, in collection: CollectionID) throws -> [Record] {
    let (entity, objects) = try graph.fetch(collection) { $0.request(keys) }
    return try StoreError.translating { try objects.map(entity.record) }
  }

  func count(in collection: CollectionID) throws -> Int { try graph.count(in: collection) }

  func settle() throws { try StoreError.translating { try graph.settle() } }

  func close() throws { try StoreError.translating { try graph.close() } }
}

/// Transactions that end with a save, or with a rollback after an error.
extension ObjectGraphBackend: Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    guard !isInTransaction else { throw StoreError.nestedTransaction }
    isInTransaction = true
    defer { isInTransaction = false }
    return try graph.writing(body)
  }
}

/// Loading of records as faults, as in Core Data: objects whose values are decoded only at their first use.
extension ObjectGraphBackend: Faulting {
  func faults(in collection: CollectionID) throws -> LoadedFaults {
    let (entity, objects) = try graph.fetch(collection) { $0.request(.all) }
    return LoadedFaults(count: objects.count) { try StoreError.translating { try objects.map(entity.key) } }
  }
}

/// Compaction as in Core Data: the store is reopened with the option to vacuum the database.
extension ObjectGraphBackend: Compacting {
  func compact() throws { try StoreError.translating { try graph.vacuum() } }
}

/// Inspection of the object graph's SQLite database; empty for other types of store.
extension ObjectGraphBackend: Inspecting {
  func layout() throws -> StoreLayout {
    try StoreError.translating { try graph.databasePath.map { try StoreLayout(sqlite: $0) } ?? StoreLayout() }
  }
}

extension ObjectGraphBackend: WriteAheadLogged {
  static func keepsLog(_ durability: Durability, _ options: Options) -> Bool { options[store] == "sqlite" }

  static func useLog(of environment: StoreEnvironment) throws { try SQLiteLogUse.fill(databaseFile, environment) }
}
