import Contract
import Foundation

/// A store in a dictionary that can be told to misbehave: what verification has to notice.
final class ModelStore: StorageBackend {
  static let description = BackendDescription(
    id: "model", summary: "a dictionary", safety: "Nothing is kept.", kind: { _ in .page },
    engineVersion: { "none" })

  static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.volatile) }

  /// One way of being wrong.
  enum Fault {
    /// Nothing is wrong.
    case none
    /// The commit with this number, from 0, is acknowledged and not done.
    case losesCommit(Int)
    /// Of the commit with this number only the first change is done.
    case tearsCommit(Int)
    /// Deletions are acknowledged and not done.
    case keepsDeleted
    /// Records come back changed, whichever way they are read.
    case changes(Int64, (inout Record) -> Void)
    /// The record with the key is not found, whichever way it is looked for.
    case hides(Int64)
    /// This record is there although nobody stored it.
    case invents(Record)
    /// The count is off by so many.
    case miscounts(Int)
  }

  private(set) var records: [Int64: Record] = [:]
  private(set) var commits = 0
  private(set) var isSettled = false
  private(set) var isClosed = false
  private let fault: Fault

  required convenience init(opening environment: StoreEnvironment) throws { self.init([]) }

  init(_ records: [Record], fault: Fault = .none) {
    self.fault = fault
    for record in records { self.records[record.id] = record }
    if case .invents(let record) = fault { self.records[record.id] = record }
  }

  var settings: String { "fault=\(fault)" }

  func commit(_ changes: [Change]) throws {
    defer { commits += 1 }
    var changes = changes
    if case .losesCommit(commits) = fault { return }
    if case .tearsCommit(commits) = fault { changes = Array(changes.prefix(1)) }
    for change in changes {
      switch change.action {
      case .put(let record, _): records[record.id] = record
      case .delete(let key, _):
        if case .keepsDeleted = fault { continue }
        records[key] = nil
      }
    }
  }

  private func seen(_ key: Int64) -> Record? {
    guard var record = records[key] else { return nil }
    switch fault {
    case .hides(key): return nil
    case .changes(key, let change): change(&record)
    default: break
    }
    return record
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = seen(key) else { return false }
    try record.withView(body)
    return true
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    for key in records.keys.sorted() where keys.contains(key) {
      guard let record = seen(key) else { continue }
      guard try record.withView(body) else { return }
    }
  }

  func count(in collection: CollectionID) throws -> Int {
    if case .miscounts(let difference) = fault { return records.count + difference }
    return records.keys.count { seen($0) != nil }
  }

  func settle() throws { isSettled = true }

  func close() throws { isClosed = true }
}
