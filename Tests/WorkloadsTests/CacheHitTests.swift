import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct CacheHitTests {
  private static let source = GeneratedRecords(count: 500, bytes: 20, seed: 4)

  /// Runs 2,000 reads. Returns the two shares of hits in percent.
  private func hits(_ options: String...) throws -> (cache: Double, model: Double) {
    let trial = try WorkloadTrial("cache-hit", options: options, source: Self.source)
    let session = try trial.session()
    try withExtendedLifetime(trial) { try session.run(operations: 2_000, block: 500) }
    let values = session.findings.map(\.value)
    try #require(session.findings.map(\.name) == [CacheHit.hits, CacheHit.modelHits])
    return (values[0], values[1])
  }

  @Test(arguments: ["count", "cost"])
  func aLargerCacheAnswersMore(limit: String) throws {
    let shares = try ["1%", "10%", "50%"].map { try hits("cache=\($0)", "limit=\(limit)") }
    for (small, large) in zip(shares, shares.dropFirst()) {
      #expect(small.cache < large.cache)
      #expect(small.model < large.model)
    }
    // The same reads fill the cache in the same way.
    let again = try hits("limit=\(limit)")
    #expect(again == shares[1])
  }

  @Test func aWrongRecordIsNoticedUnlessTheCacheHasIt() throws {
    let noticed = try Self.source.all.filter { record in
      try WorkloadTrial("cache-hit", fault: .hides(record.id), source: Self.source).complaint(operations: 500)
        == "record \(record.id) is missing"
    }
    // The cache holds 50 records, and 500 reads do not need all others.
    #expect((50...400).contains(noticed.count))
  }

  @Test func theModelDropsTheLeastRecentlyUsed() {
    var model = LeastRecentlyUsed(limit: 2)
    #expect(
      [1, 2, 1, 3, 1, 2, 3, 3].map { model.use($0, cost: 1) }
        == [false, false, true, false, true, false, false, true])
    var costs = LeastRecentlyUsed(limit: 10)
    #expect([(1, 4), (2, 4), (3, 4), (1, 4), (4, 11), (4, 11)].map { costs.use($0, cost: $1) }.allSatisfy { !$0 })
  }
}
