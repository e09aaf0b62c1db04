import Foundation
import StorageContract
import Testing

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
