import Foundation
import StorageContract
import StorageWorkloads
import Synchronization

/// A store in dictionaries with a choice of faults, which verification has to detect.
final class ModelStore: StorageBackend {
  static let description = BackendDescription(
    id: "model", summary: "a dictionary", safety: "Nothing is kept.", kind: { _ in .page },
    engineVersion: { "none" })

  static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.volatile) }

  enum Fault {
    case none
    /// The commit with this number, from 0, is acknowledged but not made.
    case losesCommit(Int)
    /// Only the first change of the commit with this number is made.
    case tearsCommit(Int)
    /// Deletions are acknowledged but not made.
    case keepsDeleted
    /// Every kind of read returns the record changed.
    case changes(Int64, (inout Record) -> Void)
    /// No kind of read finds the record.
    case hides(Int64)
    /// The record exists although it was never stored.
    case invents(Record)
    /// The count is wrong by this number.
    case miscounts(Int)
  }

  /// The content of the stores of one directory, shared by all stores that are open. It stands for a disk.
  final class Disk: @unchecked Sendable {
    fileprivate(set) var tables: [CollectionID: [Int64: Record]] = [:]
    /// The number of times that a store was opened by its directory.
    fileprivate(set) var openings = 0
    fileprivate(set) var commits = 0
    fileprivate(set) var scans = 0
    fileprivate let fault: Fault

    init(fault: Fault = .none) { self.fault = fault }

    /// The records of the first collection.
    var records: [Int64: Record] { tables[.records] ?? [:] }

    /// Returns a disk with the same content.
    func copy() -> Disk {
      let copy = Disk(fault: fault)
      copy.tables = tables
      return copy
    }

    /// Replaces the content with a fixture, without faults.
    func reset(to fixture: Fixture?) throws {
      tables = [:]
      let store = ModelStore(Disk())
      try fixture?.fill(store)
      tables = store.disk.tables
    }
  }

  /// The disks, by the directories of their stores.
  private static let disks = Mutex<[String: Disk]>([:])

  /// Makes a disk available to the stores in a directory.
  static func mount(_ disk: Disk, at directory: String) { disks.withLock { $0[directory] = disk } }

  static func unmount(_ directory: String) { disks.withLock { $0[directory] = nil } }

  let disk: Disk
  private var fault: Fault { disk.fault }

  required convenience init(opening environment: StoreEnvironment) throws {
    guard let disk = Self.disks.withLock({ $0[environment.directory] }) else {
      throw StoreError.failed("no disk is mounted at \(environment.directory)")
    }
    disk.openings += 1
    self.init(disk)
  }

  init(_ disk: Disk) { self.disk = disk }

  convenience init(_ records: [Record], fault: Fault = .none) {
    self.init(Disk(fault: fault))
    for record in records { disk.tables[.records, default: [:]][record.id] = record }
  }

  var settings: String { "fault=\(fault)" }

  func commit(_ changes: [Change]) throws {
    defer { disk.commits += 1 }
    var changes = changes
    if case .losesCommit(disk.commits) = fault { return }
    if case .tearsCommit(disk.commits) = fault { changes = Array(changes.prefix(1)) }
    for change in changes {
      switch change.action {
      case .put(let record, let collection): disk.tables[collection, default: [:]][record.id] = record
      case .delete(let key, let collection):
        if case .keepsDeleted = fault { continue }
        disk.tables[collection]?[key] = nil
      }
    }
  }

  /// Returns the visible content of a collection. Faults of single keys concern the first collection.
  private func table(_ collection: CollectionID) -> [Int64: Record] {
    var table = disk.tables[collection] ?? [:]
    guard collection == .records else { return table }
    switch fault {
    case .invents(let record): table[record.id] = record
    case .hides(let key): table[key] = nil
    case .changes(let key, let change): if table[key] != nil { change(&table[key]!) }
    default: break
    }
    return table
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = table(collection)[key] else { return false }
    try record.withView(body)
    return true
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    disk.scans += 1
    for (_, record) in table(collection).filter({ keys.contains($0.key) }).sorted(by: { $0.key < $1.key }) {
      guard try record.withView(body) else { return }
    }
  }

  func count(in collection: CollectionID) throws -> Int {
    let count = table(collection).count
    if case .miscounts(let difference) = fault, collection == .records { return count + difference }
    return count
  }

  func close() throws {}
}

/// A store over one in memory. Test classes override one of its methods.
class Faulty: ForwardingBackend {
  class var inner: any StorageBackend.Type { ModelStore.self }
  class var description: BackendDescription { ModelStore.description }
  class func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.volatile) }

  let model: ModelStore
  var inner: any StorageBackend { model }

  required init(opening environment: StoreEnvironment) throws { model = try ModelStore(opening: environment) }

  init(over model: ModelStore) { self.model = model }

  /// Declared here so that subclasses can override it.
  func commit(_ changes: [Change]) throws { try inner.commit(changes) }
}

/// A name that does not collide with `Expectation` of the module Testing.
typealias Totals = Expectation.Totals

/// A store with queries whose answers can be falsified. Reads by key and scans are correct.
class QueryingStore: Faulty, Querying {
  /// The falsification of answers.
  struct Fault {
    var records: ([Record]) -> [Record] = { $0 }
    var counts: ([Grouped<Int>]) -> [Grouped<Int>] = { $0 }
    var figures: ([Grouped<ScoreSummary>]) -> [Grouped<ScoreSummary>] = { $0 }
    /// Whether it claims to support indexes.
    var indexes = true
  }

  private let fault: Fault
  /// The fields for which an index was requested.
  private(set) var indexed: [RecordField] = []
  /// The number of records in each answer to a query for records.
  private(set) var answers: [Int] = []
  /// The offset of each query for records.
  private(set) var offsets: [Int] = []
  /// The number of queries.
  private(set) var questions = 0

  private var right: any Querying { Capability.querying(of: inner).value }

  required convenience init(opening environment: StoreEnvironment) throws { self.init([]) }

  convenience init(_ records: [Record], _ fault: Fault = Fault()) { self.init(over: ModelStore(records), fault) }

  init(over store: ModelStore, _ fault: Fault) {
    self.fault = fault
    super.init(over: store)
  }

  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool {
    indexed.append(field)
    return fault.indexes
  }

  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    questions += 1
    offsets.append(query.offset)
    let records = fault.records(try right.records(query, in: collection))
    answers.append(records.count)
    for record in records {
      guard try record.withView(body) else { return }
    }
  }

  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    questions += 1
    return try right.count(predicate, in: collection)
  }

  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>] {
    questions += 1
    return fault.counts(try right.countByGroup(predicate, in: collection))
  }

  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary {
    questions += 1
    return try right.summary(predicate, in: collection)
  }

  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>] {
    questions += 1
    return fault.figures(try right.summaryByGroup(predicate, in: collection))
  }
}
