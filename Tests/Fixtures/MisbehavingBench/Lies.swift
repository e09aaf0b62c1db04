import Foundation
import StorageContract

/// A backend that returns record 7 with another score when it is read by its key.
final class WrongRecord: Wrapper {
  static let description = describe("wrong-record", "gives record 7 another score")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard key == 7, var record = try inner.record(key, in: collection) else {
      return try inner.read(key, in: collection, body)
    }
    record.score += 1
    try record.withView(body)
    return true
  }
}

final class LosesUpdate: Wrapper {
  static let description = describe("loses-update", "acknowledges the first commit without doing it")
  let inner: any StorageBackend
  private var hasLost = false

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    if hasLost { try inner.commit(changes) }
    hasLost = true
  }
}

/// A backend that keeps commits in memory only, so that its process sees no fault.
final class Forgets: Wrapper {
  static let description = describe("forgets", "keeps commits in the memory of the process")
  let inner: any StorageBackend
  private var changed: [Int64: Record] = [:]

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    for change in changes where !change.isDelete { changed[change.record.id] = change.record }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = changed[key] else { return try inner.read(key, in: collection, body) }
    try record.withView(body)
    return true
  }
}
