import StorageContract

/// The records in a store that two processes share: a count of all saves, a count of each process's saves, and data.
struct SharedRecords {
  /// The collections of the shared store: `records` for data, and `shared` for counts of saves.
  static let collections = ["records", "shared"]
  private static let shared = CollectionID(1)
  private static let counterKey: Int64 = 1
  private static func markKey(_ side: Int) -> Int64 { 2 + Int64(side) }

  private let source: any RecordSource
  private let seed: UInt64

  init(_ source: any RecordSource, seed: UInt64) { (self.source, self.seed) = (source, seed) }

  static func fixture(of source: any RecordSource) -> Fixture {
    Fixture([source, RecordList([counter(0)] + (0..<2).map { mark($0, 0) })])
  }

  private static func counter(_ value: Int) -> Record { number(counterKey, "counter", value) }
  private static func mark(_ side: Int, _ save: Int) -> Record { number(markKey(side), "last save of \(side)", save) }

  private static func number(_ key: Int64, _ name: String, _ value: Int) -> Record {
    Record(id: key, name: name, group: "shared \(key)", score: Double(value), modified: 0, payload: [])
  }

  // MARK: - Reading and saving

  /// Three counts of saves, read from a store: of both processes together, of the first and of the second. A missing
  /// count is nil.
  struct Numbers {
    var counter: Int?
    var marks: [Int?]
  }

  /// Reads three counts of saves: of both processes together, of the first and of the second. The count of both must be
  /// read first, because some engines refuse a save if this count has changed since it was read.
  static func numbers(_ store: any StoreSnapshot) throws -> Numbers {
    func value(_ key: Int64) throws -> Int? {
      var value: Int?
      _ = try store.read(key, in: shared) { value = Int(exactly: $0.score) }
      return value
    }
    return Numbers(counter: try value(counterKey), marks: [try value(markKey(0)), try value(markKey(1))])
  }

  /// Makes one save of a process: increments the count of all saves, and stores the process's count `number` and the
  /// record `own`, if any.
  static func save(
    _ number: Int, of side: Int, after numbers: Numbers, _ own: Record?, in store: any StoreTransaction
  ) throws {
    try store.put(counter((numbers.counter ?? 0) + 1), in: shared)
    try store.put(mark(side, number), in: shared)
    if let own { try store.put(own) }
  }

  /// Returns the data record that a process stores in one of its saves, or nil if the process has no data records.
  ///
  /// - Parameters:
  ///   - number: The number of the save, counted from 1 for each process.
  ///   - side: The process: 0 for the first, 1 for the second.
  func own(_ number: Int, of side: Int) -> Record? {
    let count = (source.count + 1 - side) / 2
    guard count > 0 else { return nil }
    // No two saves store the same payload, because a property list would store equal payloads once.
    let operation = 2 * number + side
    var record = source.record(at: 2 * RandomStream.number(below: count, seed: seed, .key, operation) + side)
    var random = RandomStream(seed: seed, .change, operation)
    record.payload = GeneratedRecords.payload(record.payload.count, .random, &random)
    record.modified += Double(operation)
    return record
  }

  /// Returns the expected content of a store after `saves[0]` saves of the first process and `saves[1]` of the second.
  func expectation(_ fixture: Fixture, after saves: [Int]) -> Expectation {
    var expectation = Expectation(fixture)
    for side in 0..<2 {
      for number in stride(from: 1, through: saves[side], by: 1) {
        if let record = own(number, of: side) { expectation.apply(.put(record)) }
      }
      expectation.apply(.put(Self.mark(side, saves[side]), in: Self.shared))
    }
    expectation.apply(.put(Self.counter(saves[0] + saves[1]), in: Self.shared))
    return expectation
  }
}
