import StorageContract

/// A check after two processes have saved into one store. The store must contain the acknowledged saves of both
/// processes.
struct SharingJudge {
  let context: SessionContext
  let records: SharedRecords
  /// The number of acknowledged saves of each process.
  var saves: [Int]
  /// Whether the store may contain one save more than those acknowledged, for each process. An error or a kill ended
  /// that save before it was acknowledged.
  var uncertain: [Bool]
  let losesNothing: Bool

  /// The losses that the check found in the store.
  struct Result {
    /// The number of acknowledged saves that are missing in the shared counter.
    var lostUpdates = 0
    /// The number of records whose value is not that of their last acknowledged save.
    var lostRecords = 0
    /// The expected content of the store. Lost records are replaced by those found, so that the final check does not
    /// report them again.
    var expectation: Expectation
  }

  /// Opens the store and compares it with the acknowledged saves. Both processes must have closed the store before.
  ///
  /// - Throws: ``VerificationError`` if anything is lost although the engine must lose nothing; ``StoreError``.
  mutating func judge() throws -> Result {
    let store = try context.open()
    defer { try? context.close(store) }
    let found = try SharedRecords.numbers(WholeStore(store: store))
    for side in 0..<2 where uncertain[side] && found.marks[side] == saves[side] + 1 { saves[side] += 1 }
    let expectation = records.expectation(context.fixture, after: saves)
    var result = Result(lostUpdates: max(0, saves[0] + saves[1] - (found.counter ?? 0)), expectation: expectation)
    if losesNothing {
      if result.lostUpdates > 0 {
        throw VerificationError(
          key: nil,
          "\(result.lostUpdates) of \(saves[0] + saves[1]) saves of two processes were lost, of which each was acknowledged"
        )
      }
      // The process that runs the trial compares the records.
      return result
    }
    for (index, source) in context.fixture.records.enumerated() {
      let collection = CollectionID(index)
      for position in 0..<source.count {
        let key = source.key(at: position)
        let (there, right) = (try store.record(key, in: collection), expectation.record(key, in: collection))
        guard let right, there.map({ !$0.isIdentical(to: right) }) ?? true else { continue }
        result.lostRecords += 1
        result.expectation.apply(there.map { .put($0, in: collection) } ?? .delete(key, in: collection))
      }
    }
    return result
  }
}
