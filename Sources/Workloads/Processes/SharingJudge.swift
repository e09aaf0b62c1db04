import StorageContract

/// A check that a store contains the acknowledged saves of the two processes that have saved into it.
struct SharingJudge {
  let context: SessionContext
  let records: SharedRecords
  /// The number of acknowledged saves of each process.
  var saves: [Int]
  /// Whether an unacknowledged last save may be in the store: one value for each of the two processes.
  var uncertain: [Bool]
  let losesNothing: Bool

  struct Result {
    /// The number of acknowledged saves of both processes, minus the store's own count of saves; at least 0.
    var lostUpdates = 0
    /// The number of records that are missing, or that do not have the content of their last acknowledged save.
    var lostRecords = 0
    /// The required content for a later check of the store: all acknowledged saves. For each record counted in
    /// ``lostRecords``, the content just found is required instead.
    var expectation: Expectation
  }

  /// Compares the store, closed by both processes, with their acknowledged saves.
  ///
  /// - Throws: ``VerificationError`` if a save is lost that the engine had to keep, or ``StoreError``.
  mutating func judge() throws -> Result {
    let store = try context.open()
    defer { try? context.close(store) }
    let found = try OneThreadStore(store).read(SharedRecords.numbers)
    for side in 0..<2 where uncertain[side] && found.marks[side] == saves[side] + 1 { saves[side] += 1 }
    let expectation = records.expectation(context.fixture, after: saves)
    var result = Result(lostUpdates: max(0, saves[0] + saves[1] - (found.counter ?? 0)), expectation: expectation)
    if losesNothing {
      if result.lostUpdates > 0 {
        throw VerificationError(
          "\(result.lostUpdates) of \(saves[0] + saves[1]) saves of two processes were lost, "
            + "although every one of them had been acknowledged")
      }
      // The trial's final check compares the records.
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
