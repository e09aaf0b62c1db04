import Foundation
import StorageContract

// Backends that implement a capability with one fault. The rest is emulated over a correct store.

final class Miscounts: Wrapper, Querying {
  override class var summary: String { "counts one record too many" }
  private var right: any Querying { Capability.querying(of: inner).value }

  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try right.count(predicate, in: collection) + 1
  }

  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool {
    try right.index(field, in: collection)
  }

  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try right.find(query, in: collection, body)
  }

  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>] {
    try right.countByGroup(predicate, in: collection)
  }

  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary {
    try right.summary(predicate, in: collection)
  }

  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>] {
    try right.summaryByGroup(predicate, in: collection)
  }
}

final class CannotRollBack: Wrapper, Transactional {
  override class var summary: String { "commits what a block has done before it failed" }

  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    let transactions = Capability.transactional(of: inner).value
    return try transactions.transaction { store in Swift.Result { try body(store) } }.get()
  }
}

final class SharesCarelessly: Wrapper, Concurrent {
  override class var summary: String { "commits what a block has done before it failed" }

  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    Careless(shared: try Capability.concurrent(opening: environment, as: Self.inner).value)
  }

  private struct Careless: SharedStore {
    let shared: any SharedStore

    var settings: String { shared.settings }
    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try shared.read(body) }
    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
      try shared.write { store in Swift.Result { try body(store) } }.get()
    }
    func settle() throws { try shared.settle() }
    func close() throws { try shared.close() }
  }
}

final class ForgetsLinks: Wrapper, Relational {
  override class var summary: String { "makes no links" }
  private lazy var right: any Relational = Capability.relational(of: inner).value

  func declare(_ schema: RelationSchema) throws { try right.declare(schema) }

  func commit(_ changes: [RelationChange]) throws {
    try right.commit(changes.filter { if case .link = $0 { false } else { true } })
  }

  func keys(linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    try right.keys(linkedWith: key, by: relationship, direction)
  }

  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws {
    try right.walk(from: key, by: relationship, direction, body)
  }

  func dangling(by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    try right.dangling(by: relationship, direction)
  }
}

final class ForgetsDefaults: Wrapper, Migrating {
  override class var summary: String { "gives old records an empty value" }
  private var right: any Migrating { Capability.migrating(of: inner).value }

  func change(_ change: SchemaChange, in collection: CollectionID) throws {
    guard case .add(let attribute) = change else { return try right.change(change, in: collection) }
    try right.add(AddedAttribute(attribute.name, defaultValue: ""), in: collection)
  }

  func attributes(in collection: CollectionID) throws -> Set<String> { try right.attributes(in: collection) }

  func scan(
    _ keys: ClosedRange<Int64>, with attribute: AddedAttribute, in collection: CollectionID,
    _ body: (RecordView, _ value: String) throws -> Bool
  ) throws {
    try right.scan(keys, with: attribute, in: collection, body)
  }

  func set(_ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID) throws -> Bool {
    try right.set(attribute, to: value, of: key, in: collection)
  }
}

/// A backend that keeps attributes in memory only, so that its process sees no fault.
final class LosesAttributes: Wrapper, Migrating {
  override class var summary: String { "keeps attributes in the memory of the process" }
  private var values: [AddedAttribute: [Int64: String]] = [:]

  func change(_ change: SchemaChange, in collection: CollectionID) throws {}

  func attributes(in collection: CollectionID) throws -> Set<String> { Set(values.keys.map(\.name)) }

  func scan(
    _ keys: ClosedRange<Int64>, with attribute: AddedAttribute, in collection: CollectionID,
    _ body: (RecordView, _ value: String) throws -> Bool
  ) throws {
    try inner.scan(keys, in: collection) { view in
      try body(view, values[attribute]?[view.id] ?? attribute.defaultValue)
    }
  }

  func set(_ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID) throws -> Bool {
    guard try inner.record(key, in: collection) != nil else { return false }
    values[attribute, default: [:]][key] = value
    return true
  }
}

final class PurgesTooMuch: Wrapper, Bulk {
  override class var summary: String { "deletes the last record with those that it is to delete" }
  private var right: any Bulk { Capability.bulk(of: inner).value }

  func importRecords(_ records: [Record], into collection: CollectionID) throws {
    try right.importRecords(records, into: collection)
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    let count = try right.deleteRecords(predicate, in: collection)
    if let last = try inner.records(.all, in: collection).last { try inner.commit([.delete(last.id, in: collection)]) }
    return count
  }
}

final class CompactsTooMuch: Wrapper, Compacting {
  override class var summary: String { "drops the last record when it compacts" }

  func compact() throws {
    if let last = try inner.records(.all, in: .records).last { try inner.commit([.delete(last.id)]) }
  }
}

final class ForgetsInBackups: Wrapper, BackingUp {
  override class var summary: String { "leaves the last record out of a copy" }
  private let names: [String]

  required init(opening environment: StoreEnvironment) throws {
    names = environment.collections
    try super.init(opening: environment)
  }

  func backUp(to directory: String, isCompact: Bool, between saves: (() throws -> Void)?) throws {
    let collections = names
    let copy = try Self.inner.init(opening: StoreEnvironment(directory: directory, collections: collections))
    for index in collections.indices {
      let collection = CollectionID(index)
      try copy.commit(try inner.records(.all, in: collection).dropLast().map { .put($0, in: collection) })
    }
    try copy.close()
  }
}
