import StorageContract

/// Looks in the end what a store that two processes have shared holds of what both were told was saved.
struct SharingJudge {
  let context: SessionContext
  let records: SharedRecords
  /// Acknowledged saves of each side.
  var saves: [Int]
  /// The sides with one more save whose result is unknown: it failed without a reason, or its process died.
  var uncertain: [Bool]
  let losesNothing: Bool

  /// The missing records.
  struct Result {
    /// By how much less the counter holds than there were saves.
    var lostUpdates = 0
    /// Records that do not hold what was last saved in them.
    var lostRecords = 0
    /// The store's content, if it is not the expected one.
    var expectation: Expectation
  }

  /// Compares the store, which no process has open.
  ///
  /// - Throws: ``VerificationError`` where nothing may be lost and something was; ``StoreError``.
  mutating func judge() throws -> Result {
    let store = try context.open()
    defer { try? context.close(store) }
    let found = try SharedRecords.numbers(store)
    for side in 0..<2 where uncertain[side] && found.marks[side] == saves[side] + 1 { saves[side] += 1 }
    let expectation = records.expectation(context.fixture, after: saves)
    var result = Result(
      lostUpdates: max(0, saves[0] + saves[1] - (found.counter ?? 0)), expectation: expectation)
    if losesNothing {
      if result.lostUpdates > 0 {
        throw VerificationError(
          key: nil,
          "\(result.lostUpdates) of \(saves[0] + saves[1]) saves of two processes were lost, of which each was acknowledged"
        )
      }
      // The process that runs the trial compares the rest.
      return result
    }
    for (index, source) in context.fixture.records.enumerated() {
      let collection = CollectionID(index)
      for place in 0..<source.count {
        let key = source.key(at: place)
        let (there, right) = (try store.record(key, in: collection), expectation.record(key, in: collection))
        guard let right, there.map({ !$0.isIdentical(to: right) }) ?? true else { continue }
        result.lostRecords += 1
        result.expectation.apply(there.map { .put($0, in: collection) } ?? .delete(key, in: collection))
      }
    }
    return result
  }
}

extension StorageBackend {
  /// As ``SharedRecords/numbers(_:)`` does it with a snapshot.
  fileprivate func snapshot() -> any StoreSnapshot { WholeStore(store: self) }
}

extension SharedRecords {
  /// Returns the numbers in a store that no process changes.
  static func numbers(_ store: any StorageBackend) throws -> Numbers { try numbers(store.snapshot()) }
}

private struct WholeStore: StoreSnapshot {
  let store: any StorageBackend

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try store.read(key, in: collection, body)
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    try store.scan(keys, in: collection, body)
  }

  func count(in collection: CollectionID) throws -> Int { try store.count(in: collection) }
}
