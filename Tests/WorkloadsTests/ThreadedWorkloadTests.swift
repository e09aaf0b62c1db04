import Foundation
import Synchronization
import Testing

@testable import StorageContract
@testable import StorageWorkloads

/// The workloads of several threads, on real threads, with correct and with faulty shared stores.
@Suite struct ThreadedWorkloadTests {
  private func session(
    _ id: String, _ options: [String], threads: Int, isCounting: Bool = false, fault: SharedModel.Fault = .none,
    records: Int = 24, seed: UInt64 = 4
  ) throws -> (session: any WorkloadSession, store: SharedModel) {
    let type = try #require(Workloads.all.first { $0.description.id == id })
    let workload = type.init(options: try type.parsed(options))
    let fixture = try workload.fixture(of: GeneratedRecords(count: records, bytes: 20, seed: 4))
    let store = SharedModel(fixture.changes.map(\.record), fault)
    let context = SessionContext(
      fixture: fixture, seed: seed, recordBytes: 20, isCounting: isCounting, threads: threads,
      backend: ModelStore.self, environment: StoreEnvironment(directory: "/nonexistent"),
      openShared: { Provided(value: store, isNative: true) })
    return (try workload.session(context), store)
  }

  @Test(arguments: [(SharedModel.Fault.none, false), (.showsHalf, true)])
  func aHeldSnapshotThatShowsLaterSavesIsNoticed(fault: SharedModel.Fault, isNoticed: Bool) throws {
    let found = try WorkloadsTests.complaint {
      let (session, _) = try session("long-reader", [], threads: 1, fault: fault)
      try session.setUp()
      try session.prepare(0..<100)
      try session.perform(0..<100) {}
      try session.finish()
    }
    #expect((found != nil) == isNoticed, "\(found ?? "")")
  }

  /// A store that declares itself a whole file.
  private final class Rewritten: Faulty {
    override class var description: BackendDescription {
      var description = ModelStore.description
      description.kind = { _ in .wholeFile }
      return description
    }
  }

  /// Every read of a block may have to wait for a write, which takes longer the more records there are.
  @Test func readsBesideAWriterOfWholeFilesComeInShortBlocks() throws {
    func size(_ backend: any StorageBackend.Type, _ records: Int) throws -> Int {
      let source = GeneratedRecords(count: records, bytes: 20, seed: 4)
      return try WorkloadTrial("readers-writer", source: source, backend: backend).session().blockSize
    }
    #expect(try size(ModelStore.self, 1_000) >= 1_000)
    #expect(try size(Rewritten.self, 1_000) == 100)
    #expect(try size(Rewritten.self, 10_000) == 10)
  }

  /// Runs blocks of operations like a timed trial, and returns the complaint about the reads or the end state.
  private func complaint(
    _ id: String, _ options: [String] = [], threads: Int = 4, fault: SharedModel.Fault = .none,
    blocks: [Range<Int>] = [0..<3, 3..<200, 200..<400], records: Int = 24
  ) throws -> String? {
    try WorkloadsTests.complaint {
      let (session, store) = try session(id, options, threads: threads, fault: fault, records: records)
      try session.setUp()
      for block in blocks {
        try session.prepare(block)
        try session.perform(block) {}
        try session.verify(block)
        #expect(session.measuresItself)
        for operation in block { #expect(session.ownDuration(of: operation)! >= 0) }
        #expect(session.ownElapsed(of: block)! > 0)
      }
      try session.finish()
      _ = try store.read { try session.expectation(after: blocks.last!.upperBound).check($0) }
    }
  }

  @Test(arguments: [
    ("transfer", [], 4), ("app-log", [], 4), ("app-log", [], 3),
    ("readers-writer", [], 1), ("readers-writer", ["readers=8"], 1), ("readers-writer", ["role=writer"], 1),
    ("readers-writer", ["readers=8", "role=writer"], 1), ("readers-writer", ["reads=list"], 1),
    ("readers-writer", ["reads=record", "role=writer"], 1), ("readers-writer", ["writer=import"], 1),
    ("readers-writer", ["writer=import", "reads=record", "readers=4"], 1),
    ("readers-writer", ["writer=import", "reads=list", "readers=4"], 1),
    ("readers-writer", ["writer=import", "reads=list", "role=writer"], 1),
  ])
  func aGoodStorePasses(id: String, options: [String], threads: Int) throws {
    for records in [1, 3, 24, 57] {
      #expect(try complaint(id, options, threads: threads, records: records) == nil, "\(records) records")
    }
  }

  @Test(arguments: [
    ["readers=4"], ["readers=4", "role=writer"], ["readers=4", "reads=list"], ["readers=4", "writer=import"],
    ["readers=4", "writer=import", "reads=list", "role=writer"],
  ])
  func aTornReadIsNoticed(options: [String]) throws {
    let found = try complaint("readers-writer", options, threads: 1, fault: .showsHalf)
    #expect(found?.hasSuffix("of the same snapshot: the read was torn") == true, "\(found ?? "nothing")")
  }

  @Test(arguments: [
    ["readers=4"], ["readers=4", "role=writer"], ["reads=list"], ["writer=import", "reads=record"],
  ])
  func aReadOfThePastIsNoticed(options: [String]) throws {
    let found = try complaint("readers-writer", options, threads: 1, fault: .showsThePast)
    // If writes are timed, the end state may be verified before a reader has run.
    let sentences = ["was read as it was before a change that had been committed", "has a wrong modified, payload"]
    #expect(sentences.contains { found?.hasSuffix($0) == true }, "\(found ?? "none")")
  }

  @Test(arguments: [("readers-writer", ["role=writer"]), ("transfer", []), ("app-log", [])])
  func aWriteThatIsLostIsNoticed(id: String, options: [String]) throws {
    let found = try complaint(id, options, threads: id == "readers-writer" ? 1 : 4, fault: .losesWrites)
    #expect(found != nil)
  }

  @Test func moneyThatIsLostIsNoticed() throws {
    let kept = try complaint("transfer", fault: .keepsFailedWrites)
    #expect(kept?.hasPrefix("all accounts together hold ") == true, "\(kept ?? "nothing")")
    // A transfer that is lost as a whole does not change the sum, but the balances.
    #expect(try complaint("transfer", fault: .losesRaces) != nil)
    let swallowed = try complaint("transfer", fault: .swallowsErrors)
    #expect(swallowed?.contains("is the payer of a transfer that throws an error, but the write returned") == true)
  }

  @Test func anEntryThatIsLostIsNoticed() throws {
    // With so few entries, threads that search at the same time mostly search for the same entry.
    #expect(try complaint("app-log", fault: .losesRaces, records: 3) != nil)
    #expect(try complaint("app-log", fault: .showsThePast) != nil)
  }

  /// The operations one after the other, as in the cost pass, leave the same store.
  @Test(arguments: [("transfer", []), ("app-log", []), ("readers-writer", ["readers=4", "role=writer"])])
  func threadsOfOneProcessLeaveWhatOneThreadLeaves(id: String, options: [String]) throws {
    var digests: Set<UInt64> = []
    for isCounting in [false, true] {
      let (session, store) = try session(id, options, threads: id == "readers-writer" ? 1 : 4, isCounting: isCounting)
      #expect(session.measuresItself == !isCounting)
      try session.setUp()
      try session.prepare(0..<300)
      var laps = 0
      try session.perform(0..<300) { laps += 1 }
      #expect(laps == (isCounting ? 300 : 0))
      try session.verify(0..<300)
      try session.finish()
      let totals = try store.read { try session.expectation(after: 300).check($0) }
      digests.insert(totals.digest.value)
    }
    #expect(digests.count == 1, "\(id)")
  }

  @Test(arguments: ["transfer", "app-log", "readers-writer"])
  func countingIsTheSameEveryTime(id: String) throws {
    let sessions = try (0..<2).map { _ in try session(id, [], threads: 4, isCounting: true).session }
    #expect(sessions[0].streamHash == sessions[1].streamHash)
    #expect(sessions[0].bytesChanged(by: 50) == sessions[1].bytesChanged(by: 50))
  }

  @Test func bytesChanged() throws {
    // Every third read follows a write of four records, each with a payload and a time.
    let (session, store) = try session("readers-writer", ["readers=3"], threads: 1, isCounting: true)
    #expect(session.bytesChanged(by: 7) == 3 * 4 * (20 + 8))
    try session.run(operations: 7, block: 1)
    _ = try store.read { try session.expectation(after: 7).check($0) }
    // An import replaces all 24 records, of which a batch has at most 1,000.
    let options = ["writer=import", "readers=3"]
    let (importing, _) = try self.session("readers-writer", options, threads: 1, isCounting: true)
    #expect(importing.bytesChanged(by: 7) == 3 * 24 * (20 + 8))
  }

  /// A batch of 1,000 of 2,500 records is one write, and a list shows records of both batches.
  @Test func anImportWritesBatchesOfAThousand() throws {
    let options = ["writer=import", "reads=list"]
    #expect(try complaint("readers-writer", options, threads: 1, blocks: [0..<20], records: 2_500) == nil)
    let (session, store) = try session("readers-writer", options, threads: 1, isCounting: true, records: 2_500)
    try session.run(operations: 3, block: 3)
    let source = GeneratedRecords(count: 2_500, bytes: 20, seed: 4)
    let changed = try store.read { try $0.records() }.filter { $0 != source.record(at: Int($0.id) - 1) }
    #expect([1_000, 2_000].contains(changed.count))
  }

  @Test func theLogIsAMixOfAll() {
    let log = LogEntries(source: GeneratedRecords(count: 100, bytes: 10, seed: 1), seed: 1, threads: 4)
    var counts = [0, 0, 0, 0]
    var hits = 0
    for number in 0..<4_000 {
      switch log.operation(number) {
      case .append(let key):
        counts[0] += 1
        #expect(log.appending(key) == number)
      case .findOrCreate(let key):
        counts[1] += 1
        hits += key <= 100 ? 1 : 0
        #expect(log.appending(key) == nil)
      case .delete(let key):
        counts[2] += 1
        // The entry that the same thread appended four of its operations before.
        #expect(log.operation(number - 16) == .append(key))
      case .fetchAll: counts[3] += 1
      }
    }
    #expect(counts == [2_400, 1_000, 500, 100])
    #expect((720...880).contains(hits))
  }

  @Test func transfersFailOneInEight() {
    let accounts = Transfer(options: Options()).fixture(of: GeneratedRecords(count: 50, bytes: 10, seed: 1)).records[0]
    let transfers = (0..<8_000).map { BankTransfer($0, seed: 1, accounts: accounts) }
    #expect((900...1_100).contains(transfers.count { $0.fails }))
    #expect(transfers.allSatisfy { $0.from != $0.to && (1...10_000).contains($0.amount) })
    #expect(accounts.record(at: 7).balance == Transfer.opening)
  }
}

@Suite struct ThreadTeamTests {
  /// A collection to which several threads add.
  private final class Notes: Sendable {
    private let state = Mutex((values: [Int: [Int]](), threads: Set<ObjectIdentifier>()))

    func add(_ value: Int, under key: Int) {
      state.withLock {
        $0.values[key, default: []].append(value)
        $0.threads.insert(ObjectIdentifier(Thread.current))
      }
    }

    var all: [Int: [Int]] { state.withLock { $0.values } }
    var threadCount: Int { state.withLock { $0.threads.count } }
  }

  private struct Broken: Error, Equatable {
    let operation: Int
  }

  @Test(arguments: [1, 3, 4]) func everyOperationIsDoneOnceAndInItsThreadsOrder(workers: Int) throws {
    let team = ThreadTeam(workers: workers)
    let notes = Notes()
    // Blocks that begin at different threads, one that is shorter than the team, and an empty one.
    for block in [0..<10, 10..<11, 11..<11, 11..<50] {
      try team.perform(block) { notes.add($0, under: $0 % workers) }
    }
    #expect(notes.all.keys.sorted() == Array(0..<workers))
    for (thread, operations) in notes.all {
      #expect(operations == Array(stride(from: thread, to: 50, by: workers)))
    }
    #expect(notes.threadCount == workers)
  }

  @Test func operationsAreTimedOneByOneAndTheBlockAsAWhole() throws {
    let team = ThreadTeam(workers: 4)
    try team.perform(8..<16) { _ in usleep(20_000) }
    for operation in 8..<16 { #expect(team.duration(of: operation)! >= 20_000_000) }
    #expect(team.duration(of: 7) == nil)
    #expect(team.duration(of: 16) == nil)
    // Each thread runs two operations, one after the other.
    for thread in 8..<12 {
      #expect(team.elapsed >= team.duration(of: thread)! + team.duration(of: thread + 4)!)
    }
  }

  @Test func theBackgroundIsBusyUntilTheLastOperationIsDone() throws {
    let team = ThreadTeam(workers: 2, background: 3)
    let (done, meanwhile) = (Notes(), Notes())
    for block in [0..<20, 20..<40] {
      try team.perform(block) { operation in
        usleep(1_000)
        done.add(operation, under: 0)
      } meanwhile: { number in
        meanwhile.add(1, under: number)
      }
    }
    #expect(done.all[0]?.sorted() == Array(0..<40))
    #expect(meanwhile.all.keys.sorted() == [0, 1, 2])
    #expect(meanwhile.all.values.allSatisfy { $0.count > 1 })
  }

  @Test func errorsOfAnyThreadAreThrown() throws {
    let team = ThreadTeam(workers: 3, background: 1)
    #expect(throws: Broken(operation: 7)) {
      try team.perform(0..<12) { if $0 == 7 { throw Broken(operation: 7) } }
    }
    // The operations wait for the background thread, which a busy machine may start late.
    let begun = Notes()
    #expect(throws: Broken(operation: -1)) {
      try team.perform(0..<12) { _ in
        while begun.all.isEmpty { usleep(100) }
      } meanwhile: { number in
        begun.add(1, under: number)
        throw Broken(operation: -1)
      }
    }
    // The team can be used again.
    let notes = Notes()
    try team.perform(0..<6) { notes.add($0, under: 0) }
    #expect(notes.all[0]?.sorted() == Array(0..<6))
  }
}
