import StorageContract

/// A kind of save in a short sequence of saves for a crash test. All kinds change the same two records, with the keys 1
/// and 2.
public enum SequenceSave: String, CaseIterable, Sendable {
  /// A save that puts the record with the key 1, with a new value.
  case putFirst = "put-1"
  /// A save that puts the record with the key 2, with a new value.
  case putSecond = "put-2"
  /// A save that deletes the record with the key 1, which must exist.
  case deleteFirst = "delete-1"
  /// A save that deletes the record with the key 2, which must exist.
  case deleteSecond = "delete-2"
  /// A save that puts the two records with the keys 1 and 2 in one commit, which must be stored whole or not at all.
  case putBoth = "put-both"

  /// The keys of the records that the save puts, and of those that it deletes.
  fileprivate var keys: (put: [Int64], deleted: [Int64]) {
    switch self {
    case .putFirst: ([1], [])
    case .putSecond: ([2], [])
    case .deleteFirst: ([], [1])
    case .deleteSecond: ([], [2])
    case .putBoth: ([1, 2], [])
    }
  }
}

extension SaveHistory {
  /// Creates a history from a short sequence of saves, which get the numbers 2, 3 and so on. Save 1 only prepares the
  /// store.
  ///
  /// - Throws: `UsageError` if a save deletes a record that does not exist at that time.
  public init(sequence: [SequenceSave]) throws {
    var keys: Set<Int64> = []
    for save in sequence {
      if let key = save.keys.deleted.first(where: { !keys.contains($0) }) {
        throw UsageError(
          "--sequence has \(save.rawValue) where record \(key) does not exist (never put, or already deleted); "
            + "add put-\(key) before it")
      }
      keys = keys.union(save.keys.put).subtracting(save.keys.deleted)
    }
    let saves = sequence.enumerated().map { index, save in Self.changes(save, number: index + 2) }
    self.init(
      [[Self.mark(1)]] + saves, collections: ["records", "marks"],
      arguments: "--sequence \(sequence.map(\.rawValue).joined(separator: ","))")
  }

  /// Returns every possible sequence of at most `length` saves, as CrashMonkey's ACE does for file systems (Mohan et
  /// al., OSDI 2018).
  public static func sequences(upTo length: Int) throws -> [SaveHistory] {
    var all: [SaveHistory] = []
    var last: [[SequenceSave]] = [[]]
    for _ in 0..<length {
      // A sequence that deletes a missing record is impossible, and so is each longer one.
      last = last.flatMap { saves in SequenceSave.allCases.map { saves + [$0] } }
        .filter { (try? SaveHistory(sequence: $0)) != nil }
      all += try last.map { try SaveHistory(sequence: $0) }
    }
    return all
  }

  private static func changes(_ save: SequenceSave, number: Int) -> [Change] {
    let records = CollectionID(0)
    func put(_ key: Int64) -> Change {
      .put(
        Record(
          id: key, name: "record \(key) of save \(number)", group: "group", score: Double(number), modified: 0,
          payload: Array(repeating: UInt8(number), count: 100)), in: records)
    }
    return save.keys.put.map(put) + save.keys.deleted.map { .delete($0, in: records) } + [mark(number)]
  }

  /// Returns a change that makes the content after save `number` unique. The change puts a record with the number in
  /// its name, such as `save 7`.
  static func mark(_ number: Int) -> Change {
    .put(
      Record(id: 0, name: "save \(number)", group: "mark", score: Double(number), modified: 0, payload: []),
      in: CollectionID(1))
  }
}
