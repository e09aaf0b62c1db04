import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct SessionTests {
  static let ids = Workloads.all.map { $0.description.id }
  /// Workloads of one collection whose operation is one commit, and those that read by key or read everything. Other
  /// workloads are tested in separate files.
  static let writing = ["save-one", "paced-save", "insert-one", "delete-one", "save-all", "import"]
  static let reading = [
    "launch-cold", "launch-warm", "load-all", "iterate", "read-one", "read-hot", "cache-hit", "read-missing",
    "read-bytes",
  ]
  private let source = GeneratedRecords(count: 60, bytes: 20, seed: 4)

  private func session(
    _ id: String, options: [String] = [], seed: UInt64 = 4
  ) throws -> (session: any WorkloadSession, trial: WorkloadTrial) {
    let trial = try WorkloadTrial(id, options: options, seed: seed, source: source)
    return (try trial.session(), trial)
  }

  private func complaint(
    _ id: String, _ fault: ModelStore.Fault = .none, operations: Int = 12, block: Int = 4
  ) throws -> String? {
    try WorkloadTrial(id, fault: fault, source: source).complaint(operations: operations, block: block)
  }

  @Test(arguments: ids)
  func aGoodStorePasses(id: String) throws { #expect(try complaint(id) == nil) }

  @Test(arguments: reading.filter { !["read-missing", "read-hot", "cache-hit"].contains($0) })
  func aWrongRecordIsNoticed(id: String) throws {
    // A launch reads only the first record by default.
    for key in id.hasPrefix("launch") ? [1] : [Int64(1), 41, 60] {
      let found = try complaint(id, .changes(key) { $0.payload[3] ^= 0x10 }, operations: 2_000, block: 500)
      #expect(found != nil, "record \(key)")
    }
  }

  @Test func complaintsNameTheKeyAndTheField() throws {
    let cases: [(id: String, fault: ModelStore.Fault, operations: Int, words: String)] = [
      ("read-one", .changes(17) { $0.score += 1 }, 2_000, "record 17 has a wrong score"),
      ("read-one", .hides(17), 2_000, "record 17 is missing"),
      ("read-bytes", .changes(17) { $0.name += "x" }, 2_000, "record 17 was read with different bytes"),
      ("read-bytes", .hides(17), 2_000, "record 17 is missing"),
      // Every key above N, up to twice N, is requested sooner or later.
      ("read-missing", .invents(.sample(77)), 2_000, "record 77 is there but should not be"),
      ("load-all", .hides(17), 12, "record 17 has a wrong id, name"),
      ("load-all", .hides(60), 12, "record 60 is missing"),
      ("load-all", .invents(.sample(61)), 12, "record 61 is there but should not be"),
      ("iterate", .changes(17) { $0.group = "" }, 12, "record 17 has a wrong group"),
      ("import", .losesCommit(0), 1, "record 1 is missing"), ("import", .tearsCommit(0), 1, "record 2 is missing"),
      ("save-all", .tearsCommit(11), 12, "record 2 has a wrong modified, payload"),
      ("delete-one", .keepsDeleted, 12, "is there but should not be"),
    ]
    for (id, fault, operations, words) in cases {
      let found = try complaint(id, fault, operations: operations)
      #expect(found?.contains(words) == true, "\(id): \(found ?? "none")")
    }
    let bulk = try WorkloadTrial("import", options: ["by=batch"], fault: .losesCommit(0), source: source)
    #expect(try bulk.complaint(operations: 1) == "record 1 is missing")
  }

  @Test func `each of several records read together is verified`() throws {
    func complaint(_ fault: ModelStore.Fault, together: Int = 10) throws -> String? {
      try WorkloadTrial("read-one", options: ["together=\(together)"], fault: fault, source: source)
        .complaint(operations: 200, block: 70)
    }
    #expect(try complaint(.none) == nil)
    #expect(try complaint(.hides(17)) == "record 17 is missing")
    #expect(try complaint(.changes(60) { $0.score += 1 }, together: 7) == "record 60 has a wrong score")
    let values = try WorkloadTrial(
      "value-size", options: ["bytes=1k", "do=read", "together=10"], fault: .changes(1) { $0.payload[9] ^= 1 },
      source: source)
    #expect(try values.complaint(operations: 100, block: 50) == "record 1 has a wrong payload")
  }

  @Test func faultsAreVerifiedByTheirKeys() throws {
    func complaint(_ fault: ModelStore.Fault) throws -> String? {
      let trial = try WorkloadTrial(
        "load-all", options: ["as=faults"], fault: fault, source: source, backend: Lazy.self)
      return try trial.complaint(operations: 2, block: 1)
    }
    #expect(try complaint(.none) == nil)
    #expect(try complaint(.hides(17)) == "record 17 is missing")
    #expect(try complaint(.hides(60)) == "record 60 is missing")
    #expect(try complaint(.invents(.sample(0))) == "record 0 is there but should not be")
    #expect(try complaint(.invents(.sample(61))) == "record 61 is there but should not be")
  }

  @Test func popularKeysAreFewAndWrongOnesNoticed() throws {
    let wrong = try (Int64(1)...60).filter { key in
      try complaint("read-hot", .hides(key), operations: 100) != nil
    }
    // A hundred uniform draws from 60 keys would touch about 49 of them.
    #expect((5...45).contains(wrong.count))
  }

  @Test(arguments: writing.filter { $0 != "import" })
  func aLostUpdateIsNoticed(id: String) throws {
    // Each save of everything replaces those before it, so only the loss of the last one is visible.
    for lost in id == "save-all" ? [11] : [0, 5, 11] {
      #expect(try complaint(id, .losesCommit(lost)) != nil, "commit \(lost)")
    }
  }

  @Test(arguments: ids)
  func theStreamIsThatOfTheSeed(id: String) throws {
    let first = try session(id).session.streamHash
    #expect(try session(id).session.streamHash == first)
    let keyed = [
      "save-one", "insert-one", "delete-one", "save-all", "read-one", "read-hot", "cache-hit", "read-bytes",
      "read-missing", "find-name", "find-prefix", "find-range", "page-sorted", "value-size",
      "transfer", "app-log", "readers-writer",
    ]
    if keyed.contains(id) { #expect(try session(id, seed: 5).session.streamHash != first) }
  }

  @Test(arguments: reading + writing)
  func aBlockIsTheSameAsItsOperations(id: String) throws {
    let (session, trial) = try session(id)
    try session.setUp()
    let block = 0..<min(5, session.blockSize)
    try session.prepare(block)
    // The time between two laps is that of one operation.
    var laps: [Int] = []
    try session.perform(block) { laps.append(trial.disk.commits) }
    #expect(laps == (Self.writing.contains(id) ? block.map { $0 + 1 } : block.map { _ in 0 }))
    try session.verify(block)
    try session.finish()
    if Self.writing.contains(id) { _ = try session.expectation(after: block.count).check(trial.context.open()) }
  }

  @Test func bytesChanged() throws {
    // save-one changes payload and time of change; insert and delete change the whole record.
    #expect(try session("save-one").session.bytesChanged(by: 10) == 10 * (20 + 8))
    #expect(try session("save-all").session.bytesChanged(by: 2) == 2 * 60 * (20 + 8))
    let all = source.all.reduce(0) { $0 + $1.logicalSize }
    #expect(try session("import").session.bytesChanged(by: 3) == 3 * all)
    let (session, trial) = try session("delete-one")
    try session.setUp()
    let before = trial.disk.records.values.reduce(0) { $0 + $1.logicalSize }
    for operation in 0..<30 {
      try session.prepare(operation..<operation + 1)
      try session.perform(operation)
    }
    let after = trial.disk.records.values.reduce(0) { $0 + $1.logicalSize }
    #expect(session.bytesChanged(by: 30) == before - after)
    #expect(session.limit == 30)
    #expect(trial.disk.records.count == 30)
  }

  @Test(arguments: [("1", 60), ("7", 9), ("60", 1), ("1000", 1)], ["commit", "batch"])
  func importsInBatches(batches: (size: String, commits: Int), by: String) throws {
    let (batch, commits) = batches
    let (session, trial) = try session("import", options: ["batch=\(batch)", "by=\(by)"])
    // The same records in the same parts.
    #expect(try session.streamHash == self.session("import", options: ["batch=\(batch)"]).session.streamHash)
    try session.setUp()
    try session.prepare(0..<1)
    try session.perform(0)
    #expect(trial.disk.commits == commits)
    // The next operation begins with an empty store.
    try session.prepare(1..<2)
    #expect(trial.disk.records.isEmpty)
    #expect(trial.disk.openings == 2)
  }

  @Test func launchesReadWhatTheirGoalNeeds() throws {
    for (goal, keys) in [(LaunchGoal.first, [Int64(1)]), (.screen, Array(41...60)), (.all, Array(1...60))] {
      let records = try goal.reach(in: ModelStore(source.all), keys: goal.keys(of: source))
      #expect(records.map(\.id) == keys)
    }
    #expect(LaunchGoal.screen.keys(of: RecordList([.sample(3), .sample(9)])) == 3...9)
  }

  @Test func digestedOperationsAreTheSameForEveryKind() {
    let workloads = Workloads.all.map { $0.init(options: Options()) }
    for workload in workloads {
      for records in [1, 3, 100, 1_000, 1_001, 10_000] {
        let counted = [EngineKind.page, .wholeFile, .memory].map {
          workload.countedOperations(records: records, kind: $0)
        }
        let digested = workload.digestedOperations(records: records)
        #expect(digested >= 1)
        #expect(digested <= counted.min()!)
        #expect(digested <= (records > 1_000 ? 2 : 8))
      }
    }
    #expect(SaveOne(options: Options()).countedOperations(records: 10_000, kind: .page) == 2_000)
    #expect(SaveOne(options: Options()).countedOperations(records: 1_000, kind: .wholeFile) == 8)
    #expect(SaveOne(options: Options()).countedOperations(records: 1_001, kind: .wholeFile) == 2)
  }
}

/// A store that decodes keys only when asked for them.
final class Lazy: Faulty, Faulting {
  func faults(in collection: CollectionID) throws -> LoadedFaults {
    LoadedFaults(count: try inner.records(.all, in: collection).count) { [inner] in
      try inner.records(.all, in: collection).map(\.id)
    }
  }
}

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

/// The statements of workloads about their options, and about backends on which they cannot run.
@Suite struct DescriptionTests {
  private static let finding: [any Workload.Type] = [FindName.self, FindPrefix.self, FindRange.self, PageSorted.self]

  /// A workload with options, a backend, and words of the reason why it cannot run on the backend; nil if it can.
  private static let obstacles: [(any Workload.Type, [String], any StorageBackend.Type, String?)] =
    [
      (FindText.self, ["index=yes"], ModelStore.self, "index=no"), (FindText.self, [], ModelStore.self, nil),
      (SaveOne.self, ["indexes=1"], ModelStore.self, "indexes=0"), (SaveOne.self, [], ModelStore.self, nil),
      (SaveOne.self, ["indexes=1"], QueryingStore.self, nil),
      (Mix.self, ["read=50", "scan=50", "indexes=3"], ModelStore.self, "indexes=0"),
      (Mix.self, ["read=50", "scan=50", "indexes=3"], QueryingStore.self, nil),
      (Migrate.self, ["change=index"], ModelStore.self, "no indexes"),
      (Migrate.self, ["change=rebuild"], ModelStore.self, "change=drop"),
      (ValueSize.self, ["do=read", "together=10"], ModelStore.self, nil),
      (ValueSize.self, ["do=save"], ModelStore.self, nil),
      (ValueSize.self, ["do=save", "together=10"], ModelStore.self, "only values in records"),
      (ValueSize.self, ["do=read", "place=beside", "together=10"], ModelStore.self, "only values in records"),
      (ValueSize.self, ["do=read", "bytes=1M", "together=100"], ModelStore.self, nil),
      (ValueSize.self, ["do=read", "bytes=1M", "together=1000"], ModelStore.self, "more than 256 MB"),
      (LoadAll.self, ["as=faults"], Lazy.self, nil), (LoadAll.self, ["as=faults"], ModelStore.self, "it returns"),
      (LoadAll.self, [], ModelStore.self, nil),
      (LiveList.self, ["from=other"], TwoConnections.self, nil),
      (LiveList.self, ["from=other"], ModelStore.self, "it has no second"),
      (Backup.self, ["way=compact"], ModelStore.self, "no call that copies it without free pages"),
      (Backup.self, ["beside=saves"], ModelStore.self, "no copy in steps"),
      (Backup.self, ["way=compact"], Torn.self, nil), (Backup.self, ["beside=saves"], Torn.self, nil),
      (Backup.self, ["way=files"], ModelStore.self, nil),
    ] + ["add", "rename", "drop", "split"].map { (Migrate.self, ["change=\($0)"], ModelStore.self, nil) }
    + finding.flatMap { type -> [(any Workload.Type, [String], any StorageBackend.Type, String?)] in
      [
        (type, ["index=yes"], ModelStore.self, "index=no"), (type, [], ModelStore.self, nil),
        (type, ["index=yes"], QueryingStore.self, nil),
      ]
    }

  @Test func obstaclesAreNamed() throws {
    for (type, options, backend, words) in Self.obstacles {
      let found = type.description.obstacle(try type.parsed(options), PlannedStore(backend))
      #expect(words.map { found?.contains($0) == true } ?? (found == nil), "\(type) \(options): \(found ?? "none")")
    }
  }

  @Test func capabilitiesFollowTheOptions() throws {
    let cases: [(any Workload.Type, [String], Capability?)] =
      [
        (FindText.self, [], .textSearching), (AggregateScores.self, [], .querying),
        (AggregateScores.self, ["where=app"], nil), (Migrate.self, ["change=index"], .querying),
        (Refresh.self, [], nil), (Refresh.self, ["by=batch"], .bulk), (Refresh.self, ["way=replace"], .querying),
        (LiveList.self, ["observers=0"], nil), (LiveList.self, ["observers=10"], .observing),
      ] + Self.finding.map { ($0, ["index=yes"], .querying) }
    for (type, options, capability) in cases {
      #expect(try type.description.capability(type.parsed(options)) == capability, "\(type) \(options)")
    }
  }

  @Test func onlyReadsPromiseNothing() throws {
    let cases: [(any Workload.Type, [String], WorkloadDescription.Access)] = [
      (FindText.self, [], .reads), (ValueSize.self, ["do=read"], .reads), (ValueSize.self, [], .writes),
      (Mix.self, ["ycsb=c"], .reads), (Mix.self, ["read=40", "scan=60"], .reads), (Mix.self, ["ycsb=a"], .writes),
      (Mix.self, ["read=99", "rmw=1"], .writes), (Mix.self, [], .writes),
    ]
    for (type, options, access) in cases {
      #expect(try type.description.access(type.parsed(options)) == access, "\(type) \(options)")
    }
  }

  @Test func optionsThatExcludeEachOtherAreRefused() throws {
    let cases: [(any Workload.Type, [String])] = [
      (Refresh.self, ["way=find", "by=batch"]), (Backup.self, ["way=files", "beside=saves"]),
      (Mix.self, ["ycsb=a", "indexes=1"]),
    ]
    for (type, options) in cases {
      #expect(throws: UsageError.self, "\(type)") { try type.description.check(type.parsed(options)) }
    }
  }
}
