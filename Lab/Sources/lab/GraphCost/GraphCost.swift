import Foundation
import ObjectGraph
import StorageBackends
import StorageContract
import StorageStatistics

/// The study of the object graph's cost between two bounds: below it the same records in SQLite through its C API, and
/// above it, for rows with objects, the minimum cost of objects over SQLite (PlainObjects.swift).
///
/// All sides alternate in one process, at the same level (WAL, synchronous NORMAL), in blocks of equal work. A ratio
/// is the median over pairs of blocks. Objects are expected to be slower than SQLite. Only the cost beyond plain
/// objects has a bound.
struct GraphCost: Study {
  static let name = "graph-cost"

  static func run(_ filters: [String]) throws -> Int32 {
    let count = 10_000
    // The size of an import at the first launch of an app.
    let manyCount = 100_000
    let directory = "\(FileManager.default.currentDirectoryPath)/.build/graph-cost-\(getpid())"
    var holds = true
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let source = (1...Int64(count)).map(record)
    // Created on demand, because they take time and memory.
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
    try stores.plainStore.commit(puts)
    var fresh = stores
    let ids = try stores.context.fetchObjectIDs(FetchRequest<ManagedObject>("Records"))
    let payload = stores.records.attributes[5]
    let modified = stores.records.attributes[4]
    let keys = (0..<2_000).map { ($0 * 7_919) % count }
    var sink = 0
    /// A separate context, in which no objects are registered by other comparisons.
    let screen = ManagedObjectContext(stores.coordinator, .confinement)
    var shown: [ManagedObject] = []
    /// The same with plain objects, observed as by a screen.
    let plainScreen = PlainContext(stores.plainStore)
    var plainShown: [PlainObject] = []
    plainScreen.observe { sink &+= $0.count }

    func change(_ object: PlainObject, in context: PlainContext) throws {
      try object.change {
        $0.payload = source[sink % count].payload
        $0.modified = Double(sink)
      }
      try context.save()
      sink &+= 1
    }

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

    /// Creates two empty stores.
    func makeFresh() throws {
      if fresh !== stores { try fresh.close() }
      number += 1
      fresh = try Stores("\(directory)/\(number)")
    }

    let comparisons = [
      GraphComparison(
        name: "import", bound: 1.5, blocks: 31, operations: count,
        graph: {
          try fresh.insert(source)
          try fresh.context.save()
        },
        sqlite: { try fresh.sqlite.commit(puts) },
        objects: {
          let objects = source.map(fresh.plain.insert)
          try fresh.plain.save()
          sink &+= objects.count
        },
        prepare: { _ in try makeFresh() }),
      // Inserts without contexts, as in the import of an app, to measure the cost of the request itself.
      GraphComparison(
        name: "bulk-import, block", sqliteBound: 1.5, blocks: 9, operations: manyCount,
        graph: { try fresh.insertInBatch(many) }, sqlite: { try fresh.sqlite.commit(manyPuts) },
        prepare: { _ in
          sink &+= many.count &+ manyPuts.count
          try makeFresh()
        }),
      GraphComparison(
        name: "bulk-import, keyed", blocks: 9, operations: manyCount,
        graph: { try fresh.context.execute(BatchInsertRequest("Records", objects: manyDictionaries)) },
        sqlite: { try fresh.sqlite.commit(manyPuts) },
        prepare: { _ in
          sink &+= manyDictionaries.count &+ manyPuts.count
          try makeFresh()
        }),
      GraphComparison(
        name: "bulk-import, context", blocks: 9, operations: manyCount,
        graph: {
          try fresh.insert(many)
          try fresh.context.save()
        },
        sqlite: { try fresh.sqlite.commit(manyPuts) },
        prepare: { _ in
          sink &+= many.count &+ manyPuts.count
          try makeFresh()
        }),
      GraphComparison(
        name: "load-all", bound: 1.8, blocks: 51, operations: count,
        graph: {
          let request = FetchRequest<ManagedObject>("Records")
          request.returnsObjectsAsFaults = false
          sink &+= try stores.context.fetch(request).count
        },
        sqlite: { sink &+= try stores.sqlite.records(.all, in: .records).count },
        objects: { sink &+= try stores.plain.all().count }, prepare: { _ in stores.plain.forgetReleased() }),
      GraphComparison(
        name: "read-one by ID", bound: 1.5, blocks: 51, operations: keys.count,
        graph: {
          for key in keys {
            guard case .binary(let bytes) = try stores.context.object(with: ids[key]).value(of: payload) else {
              continue
            }
            sink &+= bytes.count
          }
        },
        sqlite: {
          for key in keys { sink &+= try stores.sqlite.record(Int64(key + 1), in: .records)?.payload.count ?? 0 }
        },
        objects: {
          for key in keys { sink &+= try stores.plain.object(Int64(key + 1)).values()?.payload.count ?? 0 }
        }, prepare: { _ in stores.plain.forgetReleased() }),
      // Both sides already have the objects to change in memory.
      GraphComparison(
        name: "save-one", bound: 1.5, blocks: 31, operations: keys.count,
        graph: { for key in keys { try change(shown[key], in: screen) } }, sqlite: saveInSQLite,
        objects: { for key in keys { try change(plainShown[key], in: plainScreen) } },
        prepare: { _ in
          if shown.isEmpty { shown = try screen.fetch(FetchRequest("Records", sortedBy: [SortKey("id")])) }
          if plainShown.isEmpty { plainShown = try plainScreen.all() }
        }),
      // The graph has to read the objects before changing them. SQLite overwrites rows without reading them.
      GraphComparison(
        name: "save-one of a fault", bound: nil, blocks: 31, operations: keys.count,
        graph: { for key in keys { try change(stores.context.object(with: ids[key]), in: stores.context) } },
        sqlite: saveInSQLite,
        objects: {
          for key in keys { try change(stores.plain.object(Int64(key + 1)), in: stores.plain) }
        },
        prepare: { _ in
          (shown, plainShown) = ([], [])
          stores.plain.forgetReleased()
        }),
    ]
    print("What the object graph takes; ratios, median of pairs and its interval; \(count) records of 100 bytes")
    print(GraphComparison.header)
    for comparison in comparisons where filters.isEmpty || filters.contains(where: comparison.name.contains) {
      holds = try comparison.run() && holds
    }
    return holds ? 0 : 1
  }
}

/// A comparison over the same block of work.
struct GraphComparison {
  var name: String
  /// The bound of the ratio to plain objects, or nil if there are none or the ratio is only reported.
  var bound: Double?
  /// The bound of the ratio to SQLite, for operations without objects.
  var sqliteBound: Double?
  var blocks: Int
  /// The number of operations in a block.
  var operations: Int
  var graph: () throws -> Void
  var sqlite: () throws -> Void
  var objects: (() throws -> Void)?
  /// Untimed preparation of a block, for the side that runs next.
  var prepare: ((_ side: Side) throws -> Void)?

  enum Side: CaseIterable {
    case graph, sqlite, objects
  }

  /// The header of the table.
  static let header =
    "                        beside SQLite           beside plain objects                    SQLite's own"

  /// Runs the blocks and prints the line.
  ///
  /// - Returns: Whether the bound holds.
  func run() throws -> Bool {
    let sides = Side.allCases.filter { $0 != .objects || objects != nil }
    var times: [Side: [Double]] = [:]
    for block in -2..<blocks {
      // The order of sides rotates, so that a drift affects all of them equally.
      for index in sides.indices {
        let side = sides[(index + block + 2) % sides.count]
        try prepare?(side)
        let start = DispatchTime.now().uptimeNanoseconds
        switch side {
        case .graph: try graph()
        case .sqlite: try sqlite()
        case .objects: try objects?()
        }
        if block >= 0 { times[side, default: []].append(Double(DispatchTime.now().uptimeNanoseconds - start)) }
      }
    }
    func ratio(to side: Side) throws -> PairedRatio? {
      guard let base = times[side], let head = times[.graph] else { return nil }
      guard let ratio = PairedRatio(pairs: zip(base, head).map { (base: $0, head: $1) }) else {
        throw StoreError.failed("too few blocks")
      }
      return ratio
    }
    func text(_ ratio: PairedRatio?) -> String {
      guard let ratio else { return "-" }
      return String(
        format: "%.2f (%.2f to %.2f)", ratio.ratio, ratio.interval?.low ?? .nan, ratio.interval?.high ?? .nan)
    }
    let above = try ratio(to: .objects)
    let below = try ratio(to: .sqlite)
    let (judged, limit) = sqliteBound == nil ? (above, bound) : (below, sqliteBound)
    let isKept = (judged?.ratio ?? 0) <= limit ?? .infinity
    let judgement = limit.map { String(format: "at most %.1f %@", $0, isKept ? "ok" : "MISSED") } ?? ""
    let base = (Quantile.median(of: (times[.sqlite] ?? []).sorted()) ?? .nan) / Double(operations)
    func column(_ text: String, _ width: Int) -> String { text.padding(toLength: width, withPad: " ", startingAt: 0) }
    print(
      column(name, 24) + column(text(below), 24) + column(text(above), 22)
        + column(judgement, 18) + String(format: "%.0f ns", base))
    return isKept
  }
}

/// An entity with an attribute for each field of a record.
private var entity: EntityDescription {
  EntityDescription(
    "Records",
    attributes: [
      AttributeDescription("id", .integer64, optional: false), AttributeDescription("name", .string),
      AttributeDescription("group", .string), AttributeDescription("score", .double),
      AttributeDescription("modified", .date), AttributeDescription("payload", .binary),
    ])
}

/// The two stores of a comparison.
private final class Stores {
  let sqlite: any StorageBackend
  /// A store of the same kind for plain objects.
  let plainStore: any StorageBackend
  let plain: PlainContext
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext
  let records: Entity
  private let store: PersistentStore
  private let directory: String

  init(_ directory: String) throws {
    self.directory = directory
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let backend = try findBackend("sqlite")
    // Level intact means WAL and synchronous NORMAL, the defaults of the graph.
    sqlite = try backend.init(opening: StoreEnvironment(directory: directory, durability: .intact))
    try FileManager.default.createDirectory(atPath: "\(directory)/plain", withIntermediateDirectories: true)
    plainStore = try backend.init(opening: StoreEnvironment(directory: "\(directory)/plain", durability: .intact))
    plain = PlainContext(plainStore)
    let model = try ManagedObjectModel([entity])
    coordinator = PersistentStoreCoordinator(model)
    store = try coordinator.addPersistentStore(.sqlite, at: URL(fileURLWithPath: "\(directory)/graph.sqlite"))
    context = ManagedObjectContext(coordinator, .confinement)
    records = try model.entity("Records")
  }

  func close() throws {
    try sqlite.close()
    try plainStore.close()
    try coordinator.remove(store)
    try FileManager.default.removeItem(atPath: directory)
  }

  /// Inserts records in a batch request with a block, without the context.
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

  /// Inserts new objects with the values of records.
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

/// Returns a record of 100 bytes that differs from all others.
private func record(_ id: Int64) -> Record {
  var random = UInt64(id) &* 0x9e37_79b9_7f4a_7c15
  var payload: [UInt8] = []
  while payload.count < 104 {
    // xorshift: system calls for a hundred thousand random payloads would take longer than the comparisons.
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    withUnsafeBytes(of: random) { payload += $0 }
  }
  return Record(
    id: id, name: "Record \(id) of many", group: "Group \(id % 500)", score: Double(id) / 3,
    modified: Double(id) * 1.5, payload: Array(payload.prefix(100)))
}
