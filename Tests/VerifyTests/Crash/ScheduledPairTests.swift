import Foundation
import StorageContract
import Testing

@testable import MisbehavingBench
@testable import StorageVerify

@Suite struct ScheduledPairTests {
  private static func test(
    _ type: any StorageBackend.Type, _ options: [String] = [], _ durability: Durability = .shipped, count: Int = 1,
    seed: UInt64 = 1, only: String? = nil
  ) throws -> CrashResult {
    try CrashTest.results(type, options, durability, ["schedule"], count: count, seed: seed, only: only)[0]
  }

  /// The libraries up to 3.51.2 lose saves if a checkpoint does not notice that the log was reset.
  @Test func `the reset of the log is found, and its schedule shows it again`() throws {
    let result = try Self.test(backend("sqlite"), ["journal=wal"], only: "schedule:programs=CCS+S")
    guard try backend("sqlite").description.knownDefect != nil else {
      #expect(!result.isBroken && result.tally.cases > 50, "\(result)")
      return
    }
    let story = try #require(result.stories.first)
    #expect(result.tally[.lostAgainst] == 1 && result.tally.cases < 400, "\(result)")
    #expect(story.sentences.contains { $0.contains("were acknowledged and are gone") || $0.contains("is gone") })
    #expect(story.columns?.contains { $0.contains("checkpoint 2, continued") } == true, "\(story)")
    let again = try Self.test(backend("sqlite"), ["journal=wal"], only: story.caseName)
    #expect(again.tally.verdicts == [.lostAgainst: 1], "\(again)")
  }

  @Test func `a rollback journal is not accused`() throws {
    let result = try Self.test(backend("sqlite"), ["journal=delete"], only: "schedule:programs=SRO+S")
    #expect(!result.isBroken && result.tally.cases > 20, "\(result.stories)")
  }

  /// A file that is written as a whole loses updates by its design, and none behind a lock file.
  @Test(arguments: ["plist", "json"])
  func `whole files lose updates without a lock and none with it`(_ id: String) throws {
    let without = try Self.test(backend(id), [], only: "schedule:programs=S+S")
    #expect(!without.isBroken && without.tally[.lostWithin] > 0, "\(without)")
    let with = try Self.test(backend(id), [], only: "schedule:programs=SRS+SO:lock=yes")
    #expect(with.tally.verdicts == [.kept: with.tally.cases] && with.tally.cases > 5, "\(with)")
  }

  @Test(
    arguments: [
      (LosesOthers.self, "S+S", CrashVerdict.lostAgainst), (LocksLate.self, "S+S", .lostAgainst),
      (StaysLocked.self, "S+S", .crashed), (RemembersOthers.self, "S+R", .torn), (SavesPiecemeal.self, "S+R", .torn),
      (IgnoresReaders.self, "SCS+R", .torn),
    ] as [(any StorageBackend.Type, String, CrashVerdict)])
  func `a planted race is found`(_ type: any StorageBackend.Type, _ programs: String, _ verdict: CrashVerdict) throws {
    let result = try Self.test(type, only: "schedule:programs=\(programs)")
    #expect(result.isBroken && result.tally[verdict] == 1, "\(result)")
    let story = try #require(result.stories.first)
    #expect(try Self.test(type, only: story.caseName).tally.verdicts == [verdict: 1])
  }

  /// A lock file stays if its process is killed, which no schedule of two living processes shows.
  @Test func `a lock that outlives its process is found`() throws {
    let without = try Self.test(LocksByFile.self, only: "schedule:programs=S+S")
    #expect(!without.isBroken && without.tally.cases > 5, "\(without)")
    let result = try Self.test(LocksByFile.self, only: "schedule:killed:programs=S+S")
    #expect(result.isBroken && result["one process killed"][.crashed] == 1, "\(result)")
    let story = try #require(result.stories.first)
    #expect(story.caseName.hasPrefix("schedule:killed:programs=S+S:first=1:points="), "\(story)")
    #expect(story.sentences.contains { $0.contains("Process 1 is killed after ") }, "\(story)")
    #expect(story.sentences.contains { $0.contains("process 2 waits for the other one") }, "\(story)")
    #expect(try Self.test(LocksByFile.self, only: story.caseName).tally.verdicts == [.crashed: 1])
    // A drawn case is shortened to the same.
    let drawn = try #require(try Self.test(LocksByFile.self, count: 2).stories.first)
    #expect(drawn.caseName.hasPrefix("schedule:killed:programs=S+"), "\(drawn)")
  }

  @Test(arguments: [
    ("sqlite", ["journal=delete"], ""), ("sqlite", ["journal=wal"], ""), ("plist", [], ""), ("json", [], ":lock=yes"),
  ])
  func `a process goes on when the other one is killed`(_ id: String, _ options: [String], _ lock: String) throws {
    let result = try Self.test(backend(id), options, only: "schedule:killed:programs=S+SR\(lock)")
    #expect(result.tally.verdicts == [.kept: result.tally.cases] && result.tally.cases > 15, "\(result)")
  }

  /// Only a process that does not go on shows that its lock is taken away.
  @Test func `a lock that is taken from a suspended process is found`() throws {
    let without = try Self.test(BreaksLocks.self, only: "schedule:programs=S+S")
    #expect(!without.isBroken && without.tally.cases > 5, "\(without)")
    let result = try Self.test(BreaksLocks.self, only: "schedule:suspended:programs=S+S")
    #expect(result.isBroken && result["one process suspended"][.lostAgainst] == 1, "\(result)")
    let story = try #require(result.stories.first)
    #expect(story.sentences.contains { $0.contains("Process 1 is suspended after ") }, "\(story)")
    #expect(try Self.test(BreaksLocks.self, only: story.caseName).tally.verdicts == [.lostAgainst: 1])
  }

  /// The other process gets an error or waits where the suspended one holds a lock, and nothing is lost.
  @Test(arguments: [
    ("sqlite", ["journal=delete"], ""), ("sqlite", ["journal=wal"], ""), ("plist", [], ":lock=yes"),
  ])
  func `a suspended process stops others at most`(_ id: String, _ options: [String], _ lock: String) throws {
    let result = try Self.test(backend(id), options, only: "schedule:suspended:programs=S+SR\(lock)")
    let tally = result.tally
    #expect(!result.isBroken && tally[.kept] > 0 && tally[.refused] > 0, "\(result)")
    #expect(tally[.kept] + tally[.refused] == tally.cases, "\(result)")
    let story = try #require(result.stories.first)
    #expect(story.sentences.contains { $0.contains("while process") && $0.contains("is suspended") }, "\(story)")
  }

  /// A process alone syncs each of its saves, so a power cut with one writer finds nothing.
  @Test func `a save that is not synced beside another process is found by a power cut`() throws {
    let result = try Self.test(TrustsOthers.self, [], .durable, only: "schedule:cut:programs=S+SS")
    #expect(result.isBroken && result.tally.cases > 5, "\(result)")
    let story = try #require(result.stories.first)
    #expect(story.caseName.hasPrefix("schedule:cut:programs=S+S"), "\(story)")
    #expect(story.caseName.contains(":cut=") && story.sentences.contains { $0.hasPrefix("The power goes after") })
    let again = try Self.test(TrustsOthers.self, [], .durable, only: story.caseName)
    #expect(again.isBroken && again.tally.cases == 1, "\(again)")
    let without = try Self.test(TrustsOthers.self, [], .durable, only: "schedule:programs=S+SS")
    #expect(!without.isBroken, "\(without)")
  }

  @Test(arguments: [
    ("sqlite", ["journal=delete"], Durability.durable, ""), ("sqlite", ["journal=wal"], .durable, ""),
    ("sqlite", ["journal=wal"], .intact, ""), ("plist", [], .durable, ":lock=yes"),
  ])
  func `a power cut takes no save of two processes that it must not`(
    _ id: String, _ options: [String], _ durability: Durability, _ lock: String
  ) throws {
    let result = try Self.test(backend(id), options, durability, only: "schedule:cut:programs=SCS+SS\(lock)")
    let tally = result.tally
    #expect(!result.isBroken && tally.cases > 30 && tally[.kept] + tally[.lostWithin] == tally.cases, "\(result)")
    #expect((tally[.lostWithin] > 0) == (durability == .intact), "\(result)")
  }

  @Test func `below intact a power cut breaks no promise of two processes`() throws {
    let result = try Self.test(backend("plist"), [], .crash, only: "schedule:cut:programs=S+SS:lock=yes")
    #expect(!result.isBroken && result.tally[.kept] < result.tally.cases, "\(result)")
  }

  /// A file that is written in place may be torn by a kill at its level, also behind a lock file.
  @Test func `a kill tears a fragile store and breaks no promise`() throws {
    let result = try Self.test(backend("defaults"), [], only: "schedule:killed:programs=S+S:lock=yes")
    #expect(result.tally[.torn] > 0 && !result.isBroken && result.tally[.crashed] == 0, "\(result)")
  }

  /// At crash, a save is renamed from a file whose name both processes use.
  @Test func `an error without a lock is no broken promise`() throws {
    let only = "schedule:programs=S+S:first=1:points=5"
    let result = try CrashTest.results(backend("plist"), [], .crash, directory: nil, only: only)[0]
    #expect(result.tally.verdicts == [.refused: 1] && !result.isBroken, "\(result)")
  }

  /// Random programs find a race, and the shortest programs that show it are reported.
  @Test func `a race is shortened`() throws {
    let story = try #require(try Self.test(LosesOthers.self, count: 8).stories.first)
    #expect(story.caseName.hasPrefix("schedule:programs=S+S:first=1:points="), "\(story)")
  }

  @Test(
    arguments: [("lmdb", "its locks are in its map"), ("sqlite-queue", "it uses threads"), ("leveldb", "no method")])
  func `backends that cannot take turns are not tried`(_ id: String, _ reason: String) throws {
    let result = try Self.test(backend(id), [])
    #expect(result.notApplicable?.contains(reason) == true && result.tally.cases == 0, "\(result)")
  }

  @Test func `a switch behind the end of the programs is an invalid argument`() {
    for bad in ["S+S:first=1:points=9999", "CXS+S", "S+S:first=3:points=1"] {
      #expect(throws: UsageError.self) { try Self.test(backend("sqlite"), [], only: "schedule:programs=\(bad)") }
    }
    #expect(throws: UsageError.self) { try Self.test(backend("sqlite"), [], only: "schedule:kiled:programs=S+S") }
  }

  @Test func `the same seed tries the same schedules`() throws {
    let counts = try (0..<2).map { _ in
      try Self.test(backend("sqlite"), ["journal=delete"], count: 2, seed: 7).tally.cases
    }
    #expect(counts[0] == counts[1] && counts[0] > 20)
  }

  @Test func `printed programs and plans are read`() throws {
    let crashCase = try CrashCase(parsing: "schedule:programs=CCS+SOR:first=2:points=57+3")
    #expect(try ScheduledPrograms(crashCase).description == "CCS+SOR")
    let plan = try #require(try SchedulePlan(crashCase))
    #expect(plan == SchedulePlan(first: 1, lengths: [57, 3]))
    #expect(try plan.crashCase(ScheduledPrograms(crashCase)) == crashCase)
    for bad in ["programs=CCS", "programs=CXS+S", "programs=S+S:first=3:points=1", "programs=S+S:first=1:points=x"] {
      let bad = try CrashCase(parsing: "schedule:\(bad)")
      #expect(throws: UsageError.self) { _ = (try ScheduledPrograms(bad), try SchedulePlan(bad)) }
    }
  }

  @Test func `shorter programs lack one step`() throws {
    let programs = try ScheduledPrograms(CrashCase(parsing: "schedule:programs=CS+R"))
    #expect(programs.shorter.map(\.description) == ["S+R", "CS+"])
  }
}
