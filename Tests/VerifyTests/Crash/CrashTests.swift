import Foundation
import StorageBackends
import StorageContract
import TestSupport
import Testing

@testable import MisbehavingBench
@testable import StorageVerify

@Suite struct CrashTests {
  private static let history = SaveHistory(records: 5, count: 4, recordBytes: 60)

  private static func test(
    _ backend: any StorageBackend.Type, _ options: [String], _ durability: Durability, _ faults: [String], count: Int,
    only: String? = nil, directory: String? = RAMDisk.path
  ) throws -> [CrashResult] {
    try CrashTest.results(
      backend, options, durability, faults, count: count, history: history, directory: directory, only: only)
  }

  private static let hasMDBX = Backends.all.contains {
    $0.description.id == "mdbx" && $0.description.missing() == nil
  }

  /// On a disk, because libmdbx makes other system calls on a RAM disk.
  @Test(.enabled(if: hasMDBX, "libmdbx is missing: scripts/install engines"))
  func libmdbxKeepsItsLevels() throws {
    for durability in [Durability.shipped, .crash] {
      let faults = ["kill", "enospc", "eio", "eintr", "short-write", "fsync", "power"]
      for result in try Self.test(backend("mdbx"), [], durability, faults, count: 10, directory: nil) {
        #expect(!result.isBroken && result.tally.cases > 5, "\(result.stories)")
      }
    }
  }

  /// With MDBX_NOMETASYNC, a commit writes over pages of the state before the last one. A power cut can keep them and
  /// lose the last meta page. The flag is therefore not enough for `intact`.
  @Test(.enabled(if: hasMDBX, "libmdbx is missing: scripts/install engines"))
  func libmdbxWithoutSyncsOfMetaPagesCanBeDamaged() throws {
    let result = try Self.test(backend("mdbx"), ["sync=nometasync"], .shipped, ["power"], count: 20)[0]
    #expect(!result.isBroken && result.tally[.torn] > 0, "\(result)")
  }

  /// A save that changes several files is whole or absent, by a list of their renames.
  @Test(arguments: ["plist", "archive", "json"], [Durability.shipped, .durable])
  func aSplitStoreKeepsSavesWhole(_ id: String, _ durability: Durability) throws {
    let faults = ["kill", "enospc", "eio", "eintr", "fsync", "power"]
    for result in try Self.test(backend(id), ["split=16"], durability, faults, count: 25) {
      #expect(!result.isBroken && result.tally.cases > 5, "\(result.stories)")
    }
  }

  /// A kill loses the saves that were not written yet, as the level allows.
  @Test(arguments: ["plist", "archive", "json", "defaults"])
  func aKillLosesDelayedSaves(_ id: String) throws {
    let faults = ["kill", "eio", "enospc", "power"]
    let results = try Self.test(backend(id), ["write=debounced"], .shipped, faults, count: 15)
    for result in results { #expect(!result.isBroken, "\(result.stories)") }
    #expect(results[0].tally[.lostWithin] > 0, "\(results[0])")
  }

  /// The level allows torn saves, so no promise is broken.
  @Test(arguments: [("plist", ["atomic=no"]), ("defaults", [])])
  func aFragileStoreTears(_ id: String, _ options: [String]) throws {
    let result = try Self.test(backend(id), options, .shipped, ["kill"], count: 40)[0]
    #expect(result.tally[.torn] > 0 && !result.isBroken, "\(result)")
    let story = try #require(result.stories.first { $0.verdict == .torn })
    #expect(story.description.contains("--only 'kill:save="), "\(story)")
  }

  @Test(arguments: ["plist", "archive", "sqlite", "sqlite-queue", "object-graph", "lmdb", "careful"])
  func honestBackendsMeetFaultsAndAreNotAccused(_ id: String) throws {
    let backend = id == "careful" ? Careful.self : try backend(id)
    let faults = ["enospc", "eio", "eintr", "short-write", "fsync"]
    for result in try Self.test(backend, [], .shipped, faults, count: 15) {
      #expect(!result.isBroken, "\(result.stories)")
      #expect(result.notApplicable == nil && result.tally.cases > 2, "\(result)")
    }
  }

  /// A checkpoint whose sync fails is made again, and no promise depends on it.
  @Test func aFailedCheckpointIsNoBrokenPromise() throws {
    let options = ["journal=wal", "connection=per-operation", "as=apple"]
    let result = try Self.test(backend("sqlite"), options, .shipped, ["fsync"], count: 20)[0]
    #expect(result.tally[.unnoticed] > 0 && !result.isBroken, "\(result)")
  }

  @Test(arguments: [("plist", CrashVerdict.torn), ("archive", .torn), ("sqlite", .kept), ("object-graph", .kept)])
  func shortWritesAreAsDeclared(_ id: String, _ verdict: CrashVerdict) throws {
    let backend = try backend(id)
    let result = try Self.test(backend, [], .shipped, ["short-write"], count: 20)[0]
    #expect(result.tally[verdict] > 0 && !result.isBroken, "\(result)")
    let isDeclared = backend.description.deviations(Options()).contains { $0.promise == .shortWrites }
    #expect(isDeclared == (verdict == .torn) && isDeclared == (result.tally[.torn] > 0))
  }

  /// The effects of damage are reported, and only the processes of the test may crash.
  @Test(arguments: ["plist", "archive", "archive:secure=no:root=keys", "defaults", "sqlite", "lmdb"])
  func damageIsSurvived(_ spec: String) throws {
    let parts = spec.split(separator: ":").map(String.init)
    let result = try Self.test(backend(parts[0]), Array(parts.dropFirst()), .shipped, ["damage"], count: 40)[0]
    #expect(result.tally.cases == 40 && !result.isBroken, "\(result)")
    #expect(result.tally[.lostWithin] > 0, "\(result)")
  }

  @Test(arguments: Misbehaving.foundByCrashes.indices)
  func aSlipIsFoundAndShrunk(_ index: Int) throws {
    let (backend, fault, text) = Misbehaving.foundByCrashes[index]
    let verdict = try #require(CrashVerdict(rawValue: text))
    let result = try Self.test(backend, [], .shipped, [fault], count: 40)[0]
    let story = try #require(result.stories.first { $0.isBroken && $0.verdict == verdict }, "\(result)")
    #expect(story.saves.count <= 2, "\(story)")
    // The command of the story reproduces it.
    let again = try Self.test(backend, [], .shipped, [], count: 1, only: story.caseName)[0]
    #expect(again.tally.verdicts == [verdict: 1] && again.isBroken, "\(again)")
  }

  @Test func theSameSeedGivesTheSameTable() throws {
    let faults = ["kill", "fsync", "damage", "power"]
    let first = try Self.test(backend("sqlite"), [], .intact, faults, count: 12)
    let second = try Self.test(backend("sqlite"), [], .intact, faults, count: 12)
    #expect(first.map(\.tally) == second.map(\.tally))
    #expect(first[3].variants == second[3].variants)
    // Kills at random times are made, too, but are not in these tables.
    #expect(first[0].timed.cases > 0)
  }

  @Test(arguments: ["kill", "damage"])
  func aToldStoreIsKept(_ fault: String) throws {
    let keeps = NSTemporaryDirectory() + "/kept-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: keeps) }
    let test = try CrashTest(
      WritesInPlace.self, faults: [fault], count: 20, history: Self.history, directory: RAMDisk.path,
      keeps: keeps)
    let story = try #require(try test.results()[0].stories.first)
    let store = try #require(story.store)
    #expect(store.hasPrefix(keeps) && FileManager.default.fileExists(atPath: store + "/store.json"))
  }

  @Test func whatStoresNothingIsNotTried() throws {
    let result = try Self.test(backend("memory"), [], .shipped, ["kill"], count: 5)[0]
    #expect(result.notApplicable == "nothing of it leaves the process" && result.tally.cases == 0)
  }

  @Test func aDurabilityThatCannotBeHadIsRefused() throws {
    #expect(throws: UsageError.self) { try CrashTest(backend("defaults"), durability: .durable) }
  }
}
