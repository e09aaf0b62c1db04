import StorageContract

/// A check of a store after two processes have saved into it. The store must contain the acknowledged saves of both
/// processes.
struct SharingJudge {
  let context: SessionContext
  let records: SharedRecords
  /// The number of acknowledged saves of each process.
  var saves: [Int]
  /// Flags for each process: whether its last save may be in the store although the save was not acknowledged.
  var uncertain: [Bool]
  let losesNothing: Bool

  /// The result of the check of a store into which two processes have saved.
  struct Result {
    /// The number of acknowledged saves that are missing in the store's counter of all saves.
    var lostUpdates = 0
    /// The number of records whose last acknowledged save is lost: the store has no such record, or has it with another
    /// content. A save is acknowledged if the engine reported success.
    var lostRecords = 0
    /// The expected content of the store for its final check. If the last save of a record is lost, the expectation for
    /// this record is what was found in the store. The final check then does not report the loss, which is already
    /// counted in ``lostRecords``.
    var expectation: Expectation
  }

  /// Compares the store with the acknowledged saves of both processes. Both must have closed the store before.
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
          key: nil,
          "\(result.lostUpdates) of \(saves[0] + saves[1]) saves of two processes were lost, "
            + "although every one of them had been acknowledged")
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
