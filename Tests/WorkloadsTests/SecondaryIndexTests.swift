import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct SecondaryIndexTests {
  private let source = GeneratedRecords(count: 60, bytes: 20, seed: 4)

  /// A store whose queries leave out the first record, as with a damaged index.
  private final class Incomplete: QueryingStore {
    required init(opening environment: StoreEnvironment) throws {
      super.init(over: try ModelStore(opening: environment), Fault(records: { Array($0.dropFirst()) }))
    }
  }

  @Test(arguments: ["save-one", "insert-one", "delete-one", "mix"])
  func anIndexWithoutARecordIsNoticed(workload: String) throws {
    let trial = try WorkloadTrial(workload, options: ["indexes=3"], source: source, backend: Incomplete.self)
    let found = try complaint {
      let session = try trial.session()
      try session.setUp()
      try session.prepare(0..<2)
      try session.perform(0..<2) {}
      try session.finish()
    }
    #expect(found == "a query by modified finds 19 of 20 records")
  }

  /// Creating the indexes reads the whole store, which a cold trial must not find in memory.
  @Test func theStoreIsReopenedOnceItsIndexesExist() throws {
    for (options, openings) in [([], 1), (["indexes=1"], 2)] {
      let trial = try WorkloadTrial("save-one", options: options, source: source, backend: Incomplete.self)
      try trial.session().setUp()
      #expect(trial.disk.openings == openings)
    }
  }

  @Test func severalChangesAreOfDifferentRecords() throws {
    let trial = try WorkloadTrial("save-one", options: ["changes=10"], source: source, backend: ModelStore.self)
    let session = try trial.session()
    #expect(session.bytesChanged(by: 3) == 3 * 10 * (20 + 8))
    let changed = zip(try session.expectation(after: 1).records(), source.all).count { !$0.isIdentical(to: $1) }
    #expect(changed == 10)
    // More changes than records are all records.
    let all = try WorkloadTrial("save-one", options: ["changes=1000"], source: source, backend: ModelStore.self)
      .session()
    #expect(all.bytesChanged(by: 1) == 60 * (20 + 8))
  }
}
