import Foundation
import StorageContract
import TestSupport
import Testing

@testable import MisbehavingBench
@_spi(Lab) @testable import StorageVerify

/// Faults while a store is made in an empty directory, saves for the first time and is closed.
@Suite struct FirstSaveTests {
  private static let history = SaveHistory(records: 5, count: 3, recordBytes: 60).first

  private static func test(
    _ subject: CheckedBackend, _ faults: [String], count: Int = 15, history: SaveHistory = history, only: String? = nil
  ) throws -> [CrashResult] {
    try CrashTest(
      subject.type, options: subject.options, durability: subject.durability, faults: faults, count: count,
      history: history, directory: RAMDisk.path, only: only.map(CrashCase.init(parsing:))
    ).results()
  }

  @Test(arguments: [
    ("plist", Durability.shipped), ("archive", .durable), ("sqlite", .shipped), ("sqlite-queue", .durable),
    ("object-graph", .durable),
  ])
  func `a new store keeps its promise`(_ id: String, _ durability: Durability) throws {
    let results = try Self.test(CheckedBackend(id, [], durability), ["kill", "enospc", "eio", "power"])
    for result in results {
      #expect(!result.isBroken && result.tally.cases > 1, "\(result.stories)")
      #expect(result.tally[.refused] == 0, "\(result.stories)")
    }
  }

  /// The faults also occur in the calls of the operation, which changes no record.
  @Test(arguments: [
    ("sqlite", ["journal=wal"], SaveHistory.Operation.compact), ("sqlite-queue", [], .compact), ("lmdb", [], .compact),
    ("sqlite", ["journal=delete"], .migrate), ("sqlite-queue", [], .migrate),
  ])
  func `an operation loses nothing`(_ id: String, _ options: [String], _ operation: SaveHistory.Operation) throws {
    let subject = try CheckedBackend(id, options, .durable)
    let faults = ["kill", "enospc", "power"]
    // A compaction of LMDB makes up to 40 calls.
    let count = id == "lmdb" ? 40 : 15
    let alone = try Self.test(subject, faults, count: count)
    let results = try Self.test(subject, faults, count: count, history: Self.history.then(operation))
    for (result, alone) in zip(results, alone) where result.notApplicable == nil {
      #expect(!result.isBroken, "\(result.stories)")
      // A power cut has a case for each state, and the operation leaves more.
      #expect(result.tally.cases > (result.fault == "power" ? alone.tally.cases : 1), "\(result)")
    }
    #expect(results[0].notApplicable == nil)
  }

  /// The full disk also prevents that the store is opened again, until there is room.
  @Test(arguments: [SaveHistory.Operation.migrate, .compact])
  func `a store can be used after its operation failed on a full disk`(_ operation: SaveHistory.Operation) throws {
    let result = try Self.test(
      CheckedBackend("object-graph", [], .durable), ["enospc"], count: 60, history: Self.history.then(operation))[0]
    #expect(!result.isBroken && result.tally.cases > 30, "\(result.stories)")
  }

  @Test func `an engine without the operation is not tested`() throws {
    let results = try Self.test(CheckedBackend("plist"), ["kill"], history: Self.history.then(.compact))
    #expect(results.map(\.notApplicable) == ["it has no operation that makes its files smaller"])
    let scheduled = try Self.test(CheckedBackend("sqlite"), ["schedule"], history: Self.history.then(.compact))
    #expect(scheduled.map(\.notApplicable) == ["the programs of its processes do not compact the store"])
    #expect(Self.history.then(.migrate).arguments == "-n 5 --first-save --then migrate")
  }

  /// Both pages of a new environment are one write, and a file with the first alone is refused ever after.
  @Test(arguments: ["kill", "enospc", "power"])
  func `an environment without its second page cannot be opened`(_ fault: String) throws {
    let subject = try CheckedBackend("lmdb")
    let result = try Self.test(subject, [fault])[0]
    #expect(result.tally[.refused] > 0 && !result.isBroken, "\(result)")
    let story = try #require(result.stories.first { $0.verdict == .refused })
    #expect(story.description.contains("MDB_INVALID") && story.command.contains("--first-save"), "\(story)")
    let again = try Self.test(subject, [], only: story.caseName)[0]
    #expect(again.tally.verdicts == [.refused: 1], "\(again)")
  }

  @Test func `a fault of the first save is found in an empty directory alone`() throws {
    let subject = try #require(CheckedBackend(SkipsFirstSync.self, Options(), .shipped))
    let later = try Self.test(subject, ["power"], history: SaveHistory(records: 5, count: 3))[0]
    #expect(!later.isBroken && later.tally.cases > 10, "\(later)")
    let result = try Self.test(subject, ["power"])[0]
    #expect(result.isBroken && result[DiskModel.judged.rawValue][.torn] > 0, "\(result)")
    let story = try #require(result.stories.first { $0.isBroken })
    #expect(story.caseName.hasPrefix("power:ext4-like:saves=1:cut="))
    // A history with more saves has the same case.
    let again = try Self.test(
      subject, [], history: SaveHistory(records: 5, count: 3, recordBytes: 60), only: story.caseName)
    #expect(again[0].tally.verdicts == [.torn: 1] && again[0].isBroken, "\(again)")
  }

  // MARK: - The states that must be among the cases

  /// Returns the lengths of the files in each state that a power cut may leave.
  private static func states(_ subject: CheckedBackend, _ model: DiskModel) throws -> Set<[String: Int]> {
    let trials = try CrashTrials(subject, history, in: RAMDisk.path ?? NSTemporaryDirectory(), limit: 30)
    defer { trials.end() }
    let log = try DiskLog(trials.logged([1]).trace, model)
    #expect(log.base.files.isEmpty)
    var replay = CutReplay(log)
    return Set(
      (0...log.steps.count).flatMap { cut in
        log.states(at: cut, .long, seed: 1).map { replay.files($0).files.mapValues(\.count) }
      })
  }

  @Test(arguments: [("sqlite", Durability.shipped), ("sqlite", .crash), ("sqlite-queue", .crash)])
  func `an empty database lies beside a log`(_ id: String, _ durability: Durability) throws {
    let states = try Self.states(CheckedBackend(id, [], durability), .strict)
    #expect(states.contains { $0["store.sqlite"] == 0 && $0["store.sqlite-journal"] ?? 0 > 0 }, "\(states)")
    // SQLite syncs the first page when it turns on WAL, before it makes the log.
    let beside = states.filter { $0["store.sqlite-wal"] ?? 0 > 0 }.compactMap { $0["store.sqlite"] }
    #expect(beside.min() == (durability == .crash ? 4_096 : nil), "\(beside)")
  }

  @Test(arguments: DiskModel.allCases)
  func `the first pages of an environment are there in part`(_ model: DiskModel) throws {
    let states = try Self.states(CheckedBackend("lmdb"), model)
    #expect(states.isSuperset(of: [[:], ["data.mdb": 0], ["data.mdb": 4_096], ["data.mdb": 8_192]]), "\(states)")
  }

  @Test func `a kill leaves a lock file without data`() throws {
    let trials = try CrashTrials(
      CheckedBackend("lmdb"), Self.history, in: RAMDisk.path ?? NSTemporaryDirectory(), limit: 30)
    defer { trials.end() }
    let cases = try KillFault.cases(trials, trials.rehearse([1]).rehearsal, count: 100, seed: 1)
    let left = try cases.filter { $0["save"] == "open" }.enumerated().map { index, crashCase in
      let store = try KillFault.leave(crashCase, in: "\(trials.directory)/kill-\(index)", trials)
      return try ReplayedFiles(readingFrom: store).files.mapValues(\.count)
    }
    #expect(left.contains(["lock.mdb": 0]) && left.contains([:]), "\(left)")
  }
}
