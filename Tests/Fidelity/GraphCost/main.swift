import Foundation
import ObjectGraph
import StorageBackends
import StorageContract
import StorageStatistics

// Prints what the object graph costs against the same records in SQLite through its C API: both sides take turns in
// one process, at the same level (WAL, synchronous NORMAL), in blocks of equal work; a ratio is the median over pairs
// of blocks. Exit 1 if a bound is missed.

/// One comparison over the same block of work.
struct Comparison {
  var name: String
  /// What the ratio is held to, or nil where it is only told.
  var bound: Double?
  var blocks: Int
  /// Operations in a block.
  var operations: Int
  var graph: () throws -> Void
  var sqlite: () throws -> Void
  /// Untimed, before the block of the side in question.
  var prepare: ((_ isGraph: Bool) throws -> Void)?

  /// Runs the blocks and prints the line.
  ///
  /// - Returns: Whether the bound holds.
  func run() throws -> Bool {
    var pairs: [(base: Double, head: Double)] = []
    for block in -2..<blocks {
      var times = (graph: 0.0, sqlite: 0.0)
      // Who goes first alternates, so that a drift hits both alike.
      for isGraph in block.isMultiple(of: 2) ? [true, false] : [false, true] {
        try prepare?(isGraph)
        let start = DispatchTime.now().uptimeNanoseconds
        try isGraph ? graph() : sqlite()
        let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start)
        if isGraph { times.graph = elapsed } else { times.sqlite = elapsed }
      }
      if block >= 0 { pairs.append((base: times.sqlite, head: times.graph)) }
    }
    guard let ratio = PairedRatio(pairs: pairs) else { throw StoreError.failed("too few blocks") }
    let isKept = ratio.ratio <= bound ?? .infinity
    let judgement = bound.map { String(format: "at most %.1f  %@", $0, isKept ? "ok    " : "MISSED") } ?? "no bound"
    let base = (Quantile.median(of: pairs.map(\.base).sorted()) ?? .nan) / Double(operations)
    print(
      name.padding(toLength: 22, withPad: " ", startingAt: 0)
        + String(
          format: "%.2f  (%.2f to %.2f)  %@  sqlite: %.0f ns", ratio.ratio, ratio.interval?.low ?? .nan,
          ratio.interval?.high ?? .nan, judgement.padding(toLength: 19, withPad: " ", startingAt: 0), base))
    return isKept
  }
}

/// A row with an attribute for each field of a record.
let entity = EntityDescription(
  "Records",
  attributes: [
    AttributeDescription("id", .integer64, optional: false), AttributeDescription("name", .string),
    AttributeDescription("group", .string), AttributeDescription("score", .double),
    AttributeDescription("modified", .date), AttributeDescription("payload", .binary),
  ])

/// The two stores of a comparison.
final class Stores {
  let sqlite: any StorageBackend
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext
  let records: Entity
  private let store: PersistentStore
  private let directory: String

  init(_ directory: String) throws {
    self.directory = directory
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    guard let backend = Backends.all.first(where: { $0.description.id == "sqlite" }) else {
      throw StoreError.failed("there is no backend sqlite")
    }
    // At level intact: WAL, synchronous NORMAL, which is what the graph ships with.
    sqlite = try backend.init(opening: StoreEnvironment(directory: directory, durability: .intact))
    let model = try ManagedObjectModel([entity])
    coordinator = PersistentStoreCoordinator(model)
    store = try coordinator.addPersistentStore(.sqlite, at: URL(fileURLWithPath: "\(directory)/graph.sqlite"))
    context = ManagedObjectContext(coordinator, .confinement)
    records = try model.entity("Records")
  }

  func close() throws {
    try sqlite.close()
    try coordinator.remove(store)
    try FileManager.default.removeItem(atPath: directory)
  }

  /// Inserts the values of records past the context, by a block.
  func insertInBatch(_ records: [Record]) throws {
    let attributes = self.records.attributes
    var next = 0
    let request = BatchInsertRequest("Records") { object in
      guard next < records.count else { return true }
      let record = records[next]
      try object.set(attributes[0], to: .integer(record.id))
      try object.set(attributes[1], to: .string(record.name))
      try object.set(attributes[2], to: .string(record.group))
      try object.set(attributes[3], to: .double(record.score))
      try object.set(attributes[4], to: .double(record.modified))
      try object.set(attributes[5], to: .binary(record.payload))
      next += 1
      return false
    }
    try context.execute(request)
  }

  /// Makes new objects with the values of records.
  func insert(_ records: [Record]) throws {
    let attributes = self.records.attributes
    for record in records {
      let object = context.insert(self.records)
      try object.set(attributes[0], to: .integer(record.id))
      try object.set(attributes[1], to: .string(record.name))
      try object.set(attributes[2], to: .string(record.group))
      try object.set(attributes[3], to: .double(record.score))
      try object.set(attributes[4], to: .double(record.modified))
      try object.set(attributes[5], to: .binary(record.payload))
    }
  }
}

/// A record of 100 bytes that no other one is like.
func record(_ id: Int64) -> Record {
  var random = UInt64(id) &* 0x9e37_79b9_7f4a_7c15
  var payload: [UInt8] = []
  while payload.count < 104 {
    // xorshift: system calls for a hundred thousand of them would take longer than the rows.
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    withUnsafeBytes(of: random) { payload += $0 }
  }
  return Record(
    id: id, name: "Record \(id) of many", group: "Group \(id % 500)", score: Double(id) / 3,
    modified: Double(id) * 1.5, payload: Array(payload.prefix(100)))
}

let count = 10_000
/// What an app imports at its first launch.
let manyCount = 100_000
let directory = "\(FileManager.default.currentDirectoryPath)/.build/graph-cost-\(getpid())"
let filters = CommandLine.arguments.dropFirst()
var holds = true
do {
  defer { try? FileManager.default.removeItem(atPath: directory) }
  let source = (1...Int64(count)).map(record)
  // Made when a row needs them: they take their time and memory.
  lazy var many = (1...Int64(manyCount)).map(record)
  lazy var manyPuts = many.map { Change.put($0) }
  lazy var manyDictionaries = many.map { record -> [String: (any ManagedValue)?] in
    [
      "id": record.id, "name": record.name, "group": record.group, "score": record.score,
      "modified": Date(timeIntervalSinceReferenceDate: record.modified), "payload": record.payload,
    ]
  }
  let puts = source.map { Change.put($0) }
  let stores = try Stores("\(directory)/0")
  var number = 0
  try stores.insert(source)
  try stores.context.save()
  try stores.sqlite.commit(puts)
  var fresh = stores
  let ids = try stores.context.fetchObjectIDs(FetchRequest<ManagedObject>("Records"))
  let payload = stores.records.attributes[5]
  let modified = stores.records.attributes[4]
  let keys = (0..<2_000).map { ($0 * 7_919) % count }
  var sink = 0
  /// A context of its own, so that nothing else finds its objects here already.
  let screen = ManagedObjectContext(stores.coordinator, .confinement)
  var shown: [ManagedObject] = []

  func change(_ object: ManagedObject, in context: ManagedObjectContext) throws {
    try object.set(payload, to: .binary(source[sink % count].payload))
    try object.set(modified, to: .double(Double(sink)))
    try context.save()
    sink &+= 1
  }

  func saveInSQLite() throws {
    for key in keys {
      var record = source[key]
      record.payload = source[sink % count].payload
      record.modified = Double(sink)
      try stores.sqlite.commit([.put(record)])
      sink &+= 1
    }
  }

  /// Two empty stores.
  func makeFresh() throws {
    if fresh !== stores { try fresh.close() }
    number += 1
    fresh = try Stores("\(directory)/\(number)")
  }

  let comparisons = [
    Comparison(
      name: "import", bound: 2, blocks: 31, operations: count,
      graph: {
        try fresh.insert(source)
        try fresh.context.save()
      },
      sqlite: { try fresh.sqlite.commit(puts) },
      prepare: { _ in try makeFresh() }),
    // Past the contexts, as an app imports: what the request itself costs.
    Comparison(
      name: "bulk-import, block", bound: 1.5, blocks: 9, operations: manyCount,
      graph: { try fresh.insertInBatch(many) }, sqlite: { try fresh.sqlite.commit(manyPuts) },
      prepare: { _ in
        sink &+= many.count &+ manyPuts.count
        try makeFresh()
      }),
    Comparison(
      name: "bulk-import, keyed", bound: nil, blocks: 9, operations: manyCount,
      graph: { try fresh.context.execute(BatchInsertRequest("Records", objects: manyDictionaries)) },
      sqlite: { try fresh.sqlite.commit(manyPuts) },
      prepare: { _ in
        sink &+= manyDictionaries.count &+ manyPuts.count
        try makeFresh()
      }),
    Comparison(
      name: "bulk-import, context", bound: nil, blocks: 9, operations: manyCount,
      graph: {
        try fresh.insert(many)
        try fresh.context.save()
      },
      sqlite: { try fresh.sqlite.commit(manyPuts) },
      prepare: { _ in
        sink &+= many.count &+ manyPuts.count
        try makeFresh()
      }),
    Comparison(
      name: "load-all", bound: 2, blocks: 51, operations: count,
      graph: {
        let request = FetchRequest<ManagedObject>("Records")
        request.returnsObjectsAsFaults = false
        sink &+= try stores.context.fetch(request).count
      },
      sqlite: { sink &+= try stores.sqlite.records(.all, in: .records).count }),
    Comparison(
      name: "read-one by ID", bound: 2.5, blocks: 51, operations: keys.count,
      graph: {
        for key in keys {
          guard case .binary(let bytes) = try stores.context.object(with: ids[key]).value(of: payload) else { continue }
          sink &+= bytes.count
        }
      },
      sqlite: {
        for key in keys { sink &+= try stores.sqlite.record(Int64(key + 1), in: .records)?.payload.count ?? 0 }
      }),
    // Both sides have in memory what they change.
    Comparison(
      name: "save-one", bound: 1.5, blocks: 31, operations: keys.count,
      graph: { for key in keys { try change(shown[key], in: screen) } }, sqlite: saveInSQLite,
      prepare: { _ in if shown.isEmpty { shown = try screen.fetch(FetchRequest("Records", sortedBy: [SortKey("id")])) }
      }),
    // The graph has to read first what it changes; SQLite writes over what it has not seen.
    Comparison(
      name: "save-one of a fault", bound: nil, blocks: 31, operations: keys.count,
      graph: { for key in keys { try change(stores.context.object(with: ids[key]), in: stores.context) } },
      sqlite: saveInSQLite, prepare: { _ in shown = [] }),
  ]
  print(
    "Ratio of the object graph to the backend sqlite, median of pairs and its interval; \(count) records of 100 bytes")
  for comparison in comparisons where filters.isEmpty || filters.contains(where: comparison.name.hasPrefix) {
    holds = try comparison.run() && holds
  }
} catch {
  FileHandle.standardError.write(Data("graph-cost: \(error)\n".utf8))
  exit(74)
}
exit(holds ? 0 : 1)
