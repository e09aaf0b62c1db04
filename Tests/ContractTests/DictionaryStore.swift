import Foundation

@testable import StorageContract
import TestSupport

/// A store for tests that keeps its records in dictionaries.
final class DictionaryStore: StorageBackend {
  static let description = BackendDescription(
    id: "dictionary", summary: "dictionaries", safety: "nothing is kept", kind: { _ in .memory },
    engineVersion: { "none" })

  static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.volatile) }

  let settings = "none"
  private(set) var commits = 0
  private(set) var isClosed = false
  /// The error that the next commit throws.
  var nextFailure: StoreError?
  private var collections: [[Int64: Record]]
  private let owner = Thread.current

  init(opening environment: StoreEnvironment) throws {
    if environment.directory == "unreadable" { throw StoreError.damaged("as asked") }
    collections = Array(repeating: [:], count: environment.collections.count)
  }

  convenience init(collections: Int = 1) throws {
    try self.init(opening: StoreEnvironment(directory: "", collections: Array(repeating: "c", count: collections)))
  }

  /// Throws if the store is called from another thread, which breaks the contract.
  private func requireOwner() throws {
    guard Thread.current === owner else { throw StoreError.failed("called from another thread") }
  }

  func commit(_ changes: [Change]) throws {
    try requireOwner()
    if let failure = nextFailure {
      nextFailure = nil
      throw failure
    }
    commits += 1
    for change in changes {
      switch change.action {
      case .put(let record, let collection): collections[collection.index][record.id] = record
      case .delete(let key, let collection): collections[collection.index][key] = nil
      }
    }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try requireOwner()
    guard let record = collections[collection.index][key] else { return false }
    try record.withView(body)
    return true
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try requireOwner()
    for key in collections[collection.index].keys.sorted() where keys.contains(key) {
      guard let record = collections[collection.index][key] else { continue }
      if try !record.withView(body) { return }
    }
  }

  func count(in collection: CollectionID) throws -> Int {
    try requireOwner()
    return collections[collection.index].count
  }

  func close() throws {
    try requireOwner()
    isClosed = true
  }

  /// The whole content, for comparisons.
  var content: [[Int64: Record]] { collections }
}

extension Record {
  /// Returns a record whose other fields do not matter.
  static func sample(
    _ id: Int64, name: String = "n", group: String = "g", score: Double = 0, modified: Double = 0,
    payload: [UInt8] = []
  ) -> Record {
    Record(id: id, name: name, group: group, score: score, modified: modified, payload: payload)
  }

  /// Returns a record with few distinct values, so that predicates find several records and sorting has ties.
  static func random(_ id: Int64, using random: inout SplitMix64) -> Record {
    let names = ["", "a", "A", "ab", "abc", "b", "\u{E9}", "e\u{301}", "日本", "a\0b", "🙂"]
    let scores = [0, -0.0, 1, 2, 2.5, -7, .infinity, -.infinity, .nan]
    return Record(
      id: id, name: names.randomElement(using: &random)!, group: names.randomElement(using: &random)!,
      score: scores.randomElement(using: &random)!, modified: Double(Int.random(in: 0...3, using: &random)),
      payload: (0..<Int.random(in: 0...4, using: &random)).map { UInt8($0) })
  }
}
