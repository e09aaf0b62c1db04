import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct HandedSaveTests {
  private static let routes = ["queue", "actor"]

  @Test(arguments: routes)
  func theSavesAreThoseOfTheCaller(via: String) throws {
    let place = try TrialPlace("save-one", options: ["via=\(via)"])
    #expect(try place.complaint(operations: 12) == nil)
    #expect(place.disk.commits == 12)
    #expect(try place.session().streamHash == TrialPlace("save-one").session().streamHash)
    #expect(try place.session().bytesChanged(by: 3) == 3 * (20 + 8))
  }

  @Test(arguments: routes)
  func aLostSaveIsNoticed(via: String) throws {
    #expect(try TrialPlace("save-one", options: ["via=\(via)"], fault: .losesCommit(5)).complaint() != nil)
  }

  @Test(arguments: routes)
  func anErrorInTheBackgroundReachesTheCaller(via: String) throws {
    let session = try TrialPlace("save-one", options: ["via=\(via)"], backend: Full.self).session()
    try session.setUp()
    try session.prepare(0..<1)
    #expect(throws: StoreError.full("no room")) { try session.perform(0) }
  }

  private final class Full: Faulty {
    override func commit(_ changes: [Change]) throws { throw StoreError.full("no room") }
  }

  /// The store is on one thread, which is not the caller's, and a save may take long.
  @Test(arguments: routes)
  func theCallerDoesNotWaitForTheSave(via: String) throws {
    let place = try TrialPlace("save-one", options: ["via=\(via)"], backend: Slow.self)
    var context = place.context
    context.isCounting = false
    let session = try place.workload.session(context)
    #expect(session.measuresItself)
    try session.setUp()
    try session.prepare(0..<3)
    // Performing includes the wait for the save, which the caller's own time does not. Once may be under load.
    let shares = try (0..<3).map { operation in
      let began = MonotonicTime.now
      try session.perform(operation)
      let own = try #require(session.ownDuration(of: operation))
      return Double(own) / Double(MonotonicTime.now - began)
    }
    #expect(shares.contains { $0 > 0 && $0 < 0.5 })
    try session.finish()
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
