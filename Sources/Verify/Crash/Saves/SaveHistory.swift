import Foundation
import StorageContract

/// The saves of a crash test, made in order into an initially empty store. Their numbers begin with 1.
public struct SaveHistory: Sendable {
  /// The changes of each save.
  public let saves: [[Change]]
  /// The names of the store's collections.
  public let collections: [String]
  /// The command-line arguments that give this history, such as `-n 20` or `--sequence put-1`.
  public let arguments: String
  /// The operation that follows the saves before the store is closed; nil if there is none.
  public private(set) var operation: Operation?

  /// An operation of an engine that changes its files but no record.
  public enum Operation: String, CaseIterable, Codable, Sendable {
    /// The engine gives back the space of deleted records, by VACUUM for example.
    case compact
    /// The engine adds a text attribute with a default to the records of the first collection.
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

  /// Creates a history from existing saves, for instance those of a workload.
  ///
  /// If two saves leave the same content, the loss of the second one is not detected.
  ///
  /// - Parameters:
  ///   - batches: The changes of each save; at least one.
  ///   - collections: The names of the store's collections.
  ///   - arguments: The command-line arguments of the saves, for a message on how to repeat a case.
  public init(_ batches: [[Change]], collections: [String] = ["records"], arguments: String = "") {
    self.init(batches, collections, arguments, nil)
  }

  init(_ saves: [[Change]], _ collections: [String], _ arguments: String, _ operation: Operation?) {
    (self.saves, self.collections, self.arguments, self.operation) = (saves, collections, arguments, operation)
  }

  /// Creates a history of random saves. The first save puts all records. Each later save puts a new record, overwrites
  /// one, deletes one or does several of these. Each save also puts its number into a separate collection, so that no
  /// two saves leave the same content.
  ///
  /// - Parameters:
  ///   - records: The number of records that the first save puts; at least 2.
  ///   - count: The number of saves; at least 1.
  ///   - recordBytes: The length of a payload, in bytes.
  ///   - seed: The seed of the generated changes.
  public init(records: Int = 20, count: Int = 12, recordBytes: Int = 100, seed: UInt64 = 1) {
    var random = SeededRandom(seed: seed)
    var maker = SaveMaker(records: max(2, records), recordBytes: recordBytes)
    saves = (1...max(1, count)).map { maker.save($0, &random) }
    collections = ["records", "marks"]
    arguments = "-n \(records)"
  }

  /// The first save alone. Each fault of a test then occurs while the store is made in an empty directory, while it
  /// saves for the first time or while it is closed.
  public var first: SaveHistory {
    SaveHistory(Array(saves.prefix(1)), collections, "\(arguments) --first-save", operation)
  }

  /// Returns the same saves, followed by an operation. In a crash test, faults then occur during the operation, too.
  public func then(_ operation: Operation) -> SaveHistory {
    SaveHistory(saves, collections, "\(arguments) --then \(operation.rawValue)", operation)
  }

  func content(after numbers: [Int]) -> StoreContent {
    StoreContent(after: numbers.map(changes), collections: collections.count)
  }

  func changes(_ number: Int) -> [Change] { saves[number - 1] }

  /// Describes a save, as the end of a sentence: `puts record 3 of records`.
  func sentence(_ number: Int) -> String {
    let words = changes(number).prefix(4).map { change in
      let collection = collections[change.collection.index]
      return "\(change.isDelete ? "deletes" : "puts") record \(change.record.id) of \(collection)"
    }
    let more = changes(number).count - words.count
    return words.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}

/// A generator of the saves of a history, no two of which leave the same content.
private struct SaveMaker {
  let recordBytes: Int
  private var keys: [Int64]
  private static let marks = CollectionID(1)

  init(records: Int, recordBytes: Int) {
    self.recordBytes = recordBytes
    keys = (1...Int64(records)).map { $0 }
  }

  mutating func save(_ number: Int, _ random: inout SeededRandom) -> [Change] {
    var changes: [Change]
    switch number % 4 {
    case _ where number == 1: changes = keys.map { .put(record($0, number, &random)) }
    case 2: changes = [overwrite(number, &random)]
    case 3: changes = [add(number, &random)]
    case 0: changes = [overwrite(number, &random), add(number, &random), delete(&random)]
    default: changes = [delete(&random)]
    }
    let mark = Record(id: 0, name: "save \(number)", group: "mark", score: Double(number), modified: 0, payload: [])
    changes.insert(.put(mark, in: Self.marks), at: random.number(0...changes.count))
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
