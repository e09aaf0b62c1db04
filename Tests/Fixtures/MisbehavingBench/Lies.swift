import Foundation
import StorageContract

final class WrongRecord: Wrapper {
  override class var summary: String { "gives record 7 another score" }

  override func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard key == 7, var record = try inner.record(key, in: collection) else {
      return try inner.read(key, in: collection, body)
    }
    record.score += 1
    try record.withView(body)
    return true
  }
}

final class LosesUpdate: Wrapper {
  override class var summary: String { "acknowledges the first commit without doing it" }
  private var hasLost = false

  override func commit(_ changes: [Change]) throws {
    if hasLost { try inner.commit(changes) }
    hasLost = true
  }
}

/// A backend that keeps commits in memory only, so that its process sees no fault.
final class Forgets: Wrapper {
  override class var summary: String { "keeps commits in the memory of the process" }
  private var changed: [Int64: Record] = [:]

  override func commit(_ changes: [Change]) throws {
    for change in changes where !change.isDelete { changed[change.record.id] = change.record }
  }

  override func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = changed[key] else { return try inner.read(key, in: collection, body) }
    try record.withView(body)
    return true
  }
}
