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

  fileprivate func isPossible(_ keys: Set<Int64>) -> Bool {
    switch self {
    case .deleteFirst: keys.contains(1)
    case .deleteSecond: keys.contains(2)
    default: true
    }
  }

  fileprivate func apply(to keys: inout Set<Int64>) {
    switch self {
    case .putFirst: keys.insert(1)
    case .putSecond: keys.insert(2)
    case .deleteFirst: keys.remove(1)
    case .deleteSecond: keys.remove(2)
    case .putBoth: keys = [1, 2]
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
      guard save.isPossible(keys) else {
        let key = save == .deleteFirst ? 1 : 2
        throw UsageError(
          "--sequence has \(save.rawValue) where record \(key) does not exist (never put, or already deleted); "
            + "add put-\(key) before it")
      }
      save.apply(to: &keys)
    }
    let saves = sequence.enumerated().map { index, save in Self.changes(save, number: index + 2) }
    self.init(
      [[Self.mark(1)]] + saves, collections: ["records", "marks"],
      arguments: "--sequence \(sequence.map(\.rawValue).joined(separator: ","))")
  }

  /// Returns every possible sequence of at most `length` saves, as CrashMonkey's ACE does for file systems (Mohan et
  /// al., OSDI 2018).
  public static func sequences(upTo length: Int) throws -> [SaveHistory] {
    var all: [[SequenceSave]] = []
    var last: [(saves: [SequenceSave], keys: Set<Int64>)] = [([], [])]
    for _ in 0..<length {
      last = last.flatMap { saves, keys in
        SequenceSave.allCases.filter { $0.isPossible(keys) }.map { save in
          var left = keys
          save.apply(to: &left)
          return (saves + [save], left)
        }
      }
      all += last.map(\.saves)
    }
    return try all.map { try SaveHistory(sequence: $0) }
  }

  private static func changes(_ save: SequenceSave, number: Int) -> [Change] {
    let records = CollectionID(0)
    func put(_ key: Int64) -> Change {
      .put(
        Record(
          id: key, name: "record \(key) of save \(number)", group: "group", score: Double(number), modified: 0,
          payload: Array(repeating: UInt8(number), count: 100)), in: records)
    }
    let changes: [Change] =
      switch save {
      case .putFirst: [put(1)]
      case .putSecond: [put(2)]
      case .deleteFirst: [.delete(1, in: records)]
      case .deleteSecond: [.delete(2, in: records)]
      case .putBoth: [put(1), put(2)]
      }
    return changes + [mark(number)]
  }

  private static func mark(_ number: Int) -> Change {
    .put(
      Record(id: 0, name: "save \(number)", group: "mark", score: Double(number), modified: 0, payload: []),
      in: CollectionID(1))
  }
}
