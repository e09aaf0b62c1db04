import Contract
import Foundation

/// `null`: stores nothing. What is measured on it is the suite itself.
///
/// A commit folds its arguments into a hash, so that nothing can be optimised away; a read lends one fixed record
/// under the key asked for, a scan lends it once, and a count is 0.
final class NullBackend: StorageBackend {
  static let description = BackendDescription(
    id: "null",
    summary: "a hash of the arguments, to see what the suite itself costs",
    safety: "Nothing is stored, not even in memory.",
    kind: { _ in .memory },
    engineVersion: { "none" },
    isVerifiable: false)

  /// What the arguments of every call were folded into.
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  private let lent = Record(
    id: 0, name: "nobody", group: "none", score: 0, modified: 0, payload: Data(count: 100))

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    durability == .shipped ? .level(.volatile) : .unavailable("it stores nothing")
  }

  init(opening environment: StoreEnvironment) throws {}

  var settings: String { "storage=none" }

  func commit(_ changes: [Change]) throws {
    for change in changes {
      switch change {
      case .put(let record, let collection):
        fold(UInt64(bitPattern: record.id))
        fold(UInt64(bitPattern: Int64(record.logicalSize)))
        fold(UInt64(bitPattern: Int64(collection.index)))
      case .delete(let key, let collection):
        fold(UInt64(bitPattern: key))
        fold(UInt64(bitPattern: Int64(collection.index)))
      }
    }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    fold(UInt64(bitPattern: key))
    try lend(key) { try body($0) }
    return true
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    fold(UInt64(bitPattern: keys.lowerBound))
    fold(UInt64(bitPattern: keys.upperBound))
    _ = try lend(keys.lowerBound) { try body($0) }
  }

  func count(in collection: CollectionID) throws -> Int { 0 }

  func close() throws {}

  private func lend<Result>(_ key: Int64, _ body: (RecordView) throws -> Result) rethrows -> Result {
    try lent.withView { view in
      try body(
        RecordView(
          id: key, score: view.score, modified: view.modified, name: view.name, group: view.group,
          payload: view.payload))
    }
  }

  /// FNV-1a over words: not for security, only cheap and without a seed.
  private func fold(_ word: UInt64) {
    hash = (hash ^ word) &* 0x0000_0100_0000_01b3
  }
}
