import Foundation
import StorageContract

/// The saves of a crash test in a file, which the child processes of the test read.
struct StoredHistory: Codable, Sendable {
  private struct StoredChange: Codable, Sendable {
    var collection: Int
    var key: Int64
    var record: Record?
  }

  private var collections: [String]
  private var saves: [[StoredChange]]
  private var operation: SaveHistory.Operation?

  init(_ history: SaveHistory) {
    (collections, operation) = (history.collections, history.operation)
    saves = history.saves.map { changes in
      changes.map { change in
        StoredChange(
          collection: change.collection.index, key: change.record.id, record: change.isDelete ? nil : change.record)
      }
    }
  }

  var history: SaveHistory {
    SaveHistory(
      saves.map { changes in
        changes.map { change in
          let collection = CollectionID(change.collection)
          return change.record.map { .put($0, in: collection) } ?? .delete(change.key, in: collection)
        }
      }, collections, "", operation)
  }

  var isWhole: Bool { saves.allSatisfy { $0.allSatisfy { collections.indices.contains($0.collection) } } }

  func write(to path: String) throws { try JSONEncoder().encode(self).write(to: URL(fileURLWithPath: path)) }

  init(reading path: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
