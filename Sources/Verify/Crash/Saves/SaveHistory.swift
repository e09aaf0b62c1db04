import Foundation
import StorageContract

/// The saves of a crash test, made in order into an initially empty store. The first save has the number 1.
public struct SaveHistory: Sendable {
  /// The saves in order, each with the changes that it commits.
  public let saves: [[Change]]
  /// The names of the store's collections.
  public let collections: [String]
  /// The arguments with which the command `storage-bench crashtest` makes the same saves again, such as `-n 20` or
  /// `--sequence put-1`.
  public let arguments: String
  /// The operation that follows the last save before the store is closed, such as a compaction; nil if there is none.
  public private(set) var operation: Operation?

  /// An operation of an engine that changes files of the store and keeps all records.
  public enum Operation: String, CaseIterable, Codable, Sendable {
    /// A compaction: the engine gives back the space of deleted records, by VACUUM for example.
    case compact
    /// A migration: the engine adds a text attribute with a default value to the records of the first collection.
    case migrate

    /// Returns the reason why a backend cannot perform this operation; nil if it can.
    func obstacle(_ subject: CheckedBackend) -> String? {
      switch self {
      case .compact: subject.type is any Compacting.Type ? nil : "it has no operation that makes its files smaller"
      case .migrate:
        (subject.type as? any Migrating.Type).map { $0.obstacleToMigrations(subject.options) }
          ?? "it has no operation that changes its schema"
      }
    }

    var sentence: String {
      switch self {
      case .compact: "Then the store is compacted."
      case .migrate: "Then its records get another attribute."
      }
    }

    func perform(on store: any StorageBackend) throws {
      switch self {
      case .compact: try (store as? any Compacting)?.compact()
      case .migrate: try (store as? any Migrating)?.add(AddedAttribute("favourite", defaultValue: "no"), in: .records)
      }
    }
  }

  /// Creates a history of given saves. If two saves leave the same content, the loss of the second is not detected.
  ///
  /// - Parameters:
  ///   - batches: The changes of each save; at least one save.
  ///   - arguments: The arguments of `storage-bench crashtest` that make the same saves, such as `-n 20`.
  public init(_ batches: [[Change]], collections: [String] = ["records"], arguments: String = "") {
    self.init(batches, collections, arguments, nil)
  }

  init(_ saves: [[Change]], _ collections: [String], _ arguments: String, _ operation: Operation?) {
    (self.saves, self.collections, self.arguments, self.operation) = (saves, collections, arguments, operation)
  }

  /// Creates random saves, no two of which leave the same content. The first puts all records, and the others change a
  /// few.
  ///
  /// - Parameters:
  ///   - records: The number of records that the first save puts; at least 2.
  ///   - count: The number of saves; at least 1.
  ///   - recordBytes: The length of a payload, in bytes.
  public init(records: Int = 20, count: Int = 12, recordBytes: Int = 100, seed: UInt64 = 1) {
    var random = SeededRandom(seed: seed)
    var maker = SaveMaker(recordBytes: recordBytes, keys: Array(1...Int64(max(2, records))))
    saves = (1...max(1, count)).map { maker.save($0, &random) }
    collections = ["records", "marks"]
    arguments = "-n \(records)"
  }

  /// A history with only the first save, so that faults occur while the store is created, makes its first save or is
  /// closed.
  public var first: SaveHistory {
    SaveHistory(Array(saves.prefix(1)), collections, "\(arguments) --first-save", operation)
  }

  /// Returns a history with the same saves and then an operation, such as a compaction. Faults occur both in the saves
  /// and in the operation.
  public func then(_ operation: Operation) -> SaveHistory {
    SaveHistory(saves, collections, "\(arguments) --then \(operation.rawValue)", operation)
  }

  func content(after numbers: [Int]) -> StoreContent {
    StoreContent(after: numbers.map(changes), collections: collections.count)
  }

  func changes(_ number: Int) -> [Change] { saves[number - 1] }

  /// Returns a description of one save, such as `puts record 3 of notes`. The first save has the number 1.
  func sentence(_ number: Int) -> String {
    let words = changes(number).prefix(4).map { change in
      let collection = collections[change.collection.index]
      return "\(change.isDelete ? "deletes" : "puts") record \(change.record.id) of \(collection)"
    }
    let more = changes(number).count - words.count
    return words.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}

/// A generator of random saves. After each save, the store has a different content.
private struct SaveMaker {
  let recordBytes: Int
  var keys: [Int64]

  mutating func save(_ number: Int, _ random: inout SeededRandom) -> [Change] {
    var changes: [Change]
    switch number % 4 {
    case _ where number == 1: changes = keys.map { .put(record($0, number, &random)) }
    case 2: changes = [overwrite(number, &random)]
    case 3: changes = [add(number, &random)]
    case 0: changes = [overwrite(number, &random), add(number, &random), delete(&random)]
    default: changes = [delete(&random)]
    }
    changes.insert(SaveHistory.mark(number), at: random.number(0...changes.count))
    return changes
  }

  private func record(_ key: Int64, _ number: Int, _ random: inout SeededRandom) -> Record {
    Record(
      id: key, name: "record \(key) of save \(number)", group: "group \(key % 5)", score: Double(number) + 0.5,
      modified: Double(key), payload: random.bytes(recordBytes))
  }

  private func overwrite(_ number: Int, _ random: inout SeededRandom) -> Change {
    .put(record(keys[random.number(0...keys.count - 1)], number, &random))
  }

  private mutating func add(_ number: Int, _ random: inout SeededRandom) -> Change {
    let key = (keys.max() ?? 0) + 1
    keys.append(key)
    return .put(record(key, number, &random))
  }

  private mutating func delete(_ random: inout SeededRandom) -> Change {
    guard keys.count > 1 else { return .delete(keys[0]) }
    return .delete(keys.remove(at: random.number(0...keys.count - 2)))
  }
}
