import Foundation
import Testing

@testable import StorageContract
@testable import StorageWorkloads

@Suite struct HandedSaveTests {
  private static let routes = ["queue", "actor"]

  /// Returns the result of a body that runs on a new thread. A body that waits for an actor must not block the threads
  /// on which actors run.
  private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result
  {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: body)) }
    }
  }

  @Test(arguments: routes)
  func theSavesAreThoseOfTheCaller(via: String) async throws {
    let found = try await Self.onThread {
      let trial = try WorkloadTrial("save-one", options: ["via=\(via)"])
      let complaint = try trial.complaint(operations: 12)
      let session = try trial.session()
      return (complaint, trial.disk.commits, session.streamHash, session.bytesChanged(by: 3))
    }
    #expect(found.0 == nil && found.1 == 12 && found.3 == 3 * (20 + 8))
    #expect(try found.2 == WorkloadTrial("save-one").session().streamHash)
  }

  @Test(arguments: routes)
  func aLostSaveIsNoticed(via: String) async throws {
    let complaint = try await Self.onThread {
      try WorkloadTrial("save-one", options: ["via=\(via)"], fault: .losesCommit(5)).complaint()
    }
    #expect(complaint != nil)
  }

  @Test(arguments: routes)
  func anErrorInTheBackgroundReachesTheCaller(via: String) async throws {
    await #expect(throws: StoreError.full("no room")) {
      try await Self.onThread {
        let trial = try WorkloadTrial("save-one", options: ["via=\(via)"], backend: Full.self)
        let session = try trial.session()
        try session.setUp()
        try session.prepare(0..<1)
        // The store lives as long as the trial.
        try withExtendedLifetime(trial) { try session.perform(0) }
      }
    }
  }

  private final class Full: Faulty {
    override func commit(_ changes: [Change]) throws { throw StoreError.full("no room") }
  }

  /// The store is on one thread, which is not the caller's, and a save may take long.
  @Test(arguments: routes)
  func theCallerDoesNotWaitForTheSave(via: String) async throws {
    // Performing includes the wait for the save, which the caller's own time does not. Once may be under load.
    let shares = try await Self.onThread {
      let trial = try WorkloadTrial("save-one", options: ["via=\(via)"], backend: Slow.self, isCounting: false)
      let session = try trial.session()
      try session.setUp()
      try session.prepare(0..<3)
      let shares = try (0..<3).map { operation in
        let began = MonotonicTime.now
        try session.perform(operation)
        return Double(session.ownDuration(of: operation) ?? 0) / Double(MonotonicTime.now - began)
      }
      try session.finish()
      return shares
    }
    #expect(shares.contains { $0 > 0 && $0 < 0.5 })
  }

  private final class Slow: Faulty {
    private let thread = Thread.current

    override func commit(_ changes: [Change]) throws {
      guard Thread.current === thread, !Thread.isMainThread else { throw StoreError.failed("on another thread") }
      usleep(50_000)
      try super.commit(changes)
    }
  }

  @Test func reportsDoNotCallItASave() throws {
    func words(_ options: [String]) throws -> WorkloadWords? { SaveOne.description.words(try SaveOne.parsed(options)) }
    #expect(try words([]) == WorkloadWords("a save", .save, limit: .frame))
    #expect(try words(["via=queue"]) == WorkloadWords("handing a save to a queue", .other, limit: .frame))
    #expect(try words(["via=actor"])?.kind == .other)
  }
}

@Suite struct RollbackTests {
  private func complaint(_ backend: any StorageBackend.Type) throws -> String? {
    let source = GeneratedRecords(count: 20, bytes: 20, seed: 4)
    return try WorkloadTrial("rollback", source: source, backend: backend).complaint(operations: 9)
  }

  @Test func whatIsLeftIsNoticed() throws {
    #expect(try complaint(Keeps.self) == "record 21 is there although its insertion was rolled back")
    #expect(
      try complaint(Swallows.self)
        == "a transaction returned without the error that its closure throws after the sixth insert; "
        + "the backend must roll back and rethrow the error")
    #expect(try complaint(CommitsLater.self) == "record 30 is there although its insertion was rolled back")
  }
}

// Stores with one fault in their transactions.

private final class Keeps: Faulty, Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    let transactions = Capability.transactional(of: inner).value
    return try transactions.transaction { store in Swift.Result { try body(store) } }.get()
  }
}

private final class Swallows: Faulty, Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    do {
      return try Capability.transactional(of: inner).value.transaction(body)
    } catch  where Result.self == Void.self {
      return () as! Result
    }
  }
}

/// A store that commits the last insert after the rollback.
private final class CommitsLater: Faulty, Transactional {
  func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    do {
      return try Capability.transactional(of: inner).value.transaction(body)
    } catch {
      try commit([.put(Record.sample(30))])
      throw error
    }
  }
}

@Suite struct RefreshTests {
  private static let source = GeneratedRecords(count: 200, bytes: 20, seed: 4)

  /// Runs one refresh. Returns the environment, in which the store's content is right.
  private func refresh(_ options: String...) throws -> WorkloadTrial {
    let trial = try WorkloadTrial("refresh", options: options, source: Self.source)
    #expect(try trial.complaint(operations: 1) == nil)
    return trial
  }

  private func isStored(_ record: Record) -> Bool {
    Self.source.index(of: record.id).map { Self.source.record(at: $0).isIdentical(to: record) } ?? false
  }

  @Test(arguments: [("90%", 18, 9), ("50%", 10, 5), ("0%", 0, 0)], ["commit", "batch"])
  func theAnswerOverlapsAsAskedFor(share: (name: String, known: Int, edited: Int), by: String) throws {
    let trial = try refresh("overlap=\(share.name)", "by=\(by)")
    let records = trial.disk.records.values
    #expect(records.count == 200 + 20 - share.known)
    #expect(records.count { Self.source.index(of: $0.id) == nil } == 20 - share.known)
    // Of the known records, half have not changed.
    #expect(records.count { !isStored($0) } == 20 - share.known + share.edited)
    #expect(trial.disk.commits == 1)
  }

  @Test(arguments: ["90%", "50%", "0%"]) func readingFirstLeavesTheSameRecords(share: String) throws {
    let (upserted, found) = (try refresh("overlap=\(share)"), try refresh("overlap=\(share)", "way=find"))
    #expect(upserted.disk.records == found.disk.records)
  }

  @Test func aReplacementDeletesOnlyTheRestOfItsPage() throws {
    let (before, after) = (Self.source.all, try refresh("overlap=50%", "way=replace").disk.records)
    let upserted = try refresh("overlap=50%").disk.records
    let deleted = before.filter { after[$0.id] == nil }
    #expect(deleted.count == 10)
    #expect(upserted.count - after.count == 10)
    // All that are left between these scores were sent: known ones, and the copies of the deleted ones.
    let scores = deleted.map(\.score).sorted()
    let page = scores[0]...scores[9]
    let (left, old) = (after.values.filter { page.contains($0.score) }, before.filter { page.contains($0.score) })
    #expect(left.count == old.count && left.count > 10)
    #expect(left.count { Self.source.index(of: $0.id) == nil } == 10)
    let sent = Set(after.values.filter { !isStored($0) }.map(\.score))
    #expect(scores.allSatisfy(sent.contains))
  }

  @Test(arguments: ["upsert", "replace", "wipe"])
  func requestsLeaveTheSameRecords(way: String) throws {
    let (saved, requested) = (try refresh("way=\(way)"), try refresh("way=\(way)", "by=batch"))
    #expect(saved.disk.records == requested.disk.records)
    #expect(requested.disk.commits == (way == "upsert" ? 1 : 2))
    if way == "wipe" { #expect(saved.disk.records.count == 20) }
    #expect(try saved.session().streamHash == requested.session().streamHash)
  }

  /// A data file without scores has no list that could be sorted by them.
  @Test(arguments: [("upsert", false), ("find", false), ("wipe", false), ("replace", true)])
  func aPageOfEqualScoresIsNotReplaced(way: String, isRefused: Bool) throws {
    let records = Self.source.all.map { $0.with { $0.score = 0 } }
    let trial = try WorkloadTrial("refresh", options: ["way=\(way)"], source: RecordList(records))
    if isRefused {
      #expect(throws: StoreError.self) { _ = try trial.session() }
    } else {
      #expect(try trial.complaint(operations: 1) == nil)
    }
  }

  @Test(arguments: ["replace", "wipe"]) func recordsThatWereNotDeletedAreNoticed(way: String) throws {
    let trial = try WorkloadTrial("refresh", options: ["way=\(way)"], fault: .keepsDeleted, source: Self.source)
    #expect(try trial.complaint(operations: 1)?.hasSuffix("is there but should not be") == true)
  }

  @Test func aRecordReadWrongIsNoticed() throws {
    // An unchanged record that is read wrong is saved once more than is needed.
    let incoming = try refresh().session() as any WorkloadSession
    let stored = try incoming.expectation(after: 1)
    let indices = (0..<200).filter { stored.record(Self.source.key(at: $0)).map(isStored) == true }
    let counts = try indices.map { index in
      try WorkloadTrial(
        "refresh", options: ["way=find"], fault: .changes(Self.source.key(at: index)) { $0.score += 1 },
        source: Self.source
      ).complaint(operations: 1)
    }
    #expect(counts.count { $0 == "12 changes were made where there should be 11" } == 9)
    #expect(counts.allSatisfy { $0 != nil })
  }

  @Test func bytesChanged() throws {
    let session = try WorkloadTrial("refresh", options: ["overlap=90%"], source: Self.source).session()
    let new = try session.expectation(after: 1).records().filter { Self.source.index(of: $0.id) == nil }
    #expect(new.count == 2)
    #expect(session.bytesChanged(by: 3) == 3 * (9 * (20 + 8) + new.reduce(0) { $0 + $1.logicalSize }))
    let wiped = try WorkloadTrial("refresh", options: ["overlap=0%", "way=wipe"], source: Self.source).session()
    let (all, sent) = (Self.source.all, try wiped.expectation(after: 1).records())
    #expect(wiped.bytesChanged(by: 1) == (all + sent).reduce(0) { $0 + $1.logicalSize })
  }
}
