import Foundation
import StorageContract
import TestSupport
import Testing

@testable import MisbehavingBench
@_spi(Lab) @testable import StorageVerify

/// The possible states after a power cut in each model, and stores that are opened in them.
@Suite struct PowerTests {
  // MARK: - The models

  /// Returns files in which `f`, number 1, holds "old" and is on the disk.
  private static func base() throws -> ReplayedFiles {
    var base = ReplayedFiles()
    try base.apply(call(.create, "f", file: 1))
    try base.apply(call(.write, "f", file: 1, "old"))
    return base
  }

  /// Returns all possible states after a cut at the end of some calls, as texts: `f=old`.
  private static func left(_ model: DiskModel, _ calls: [LoggedCall]) throws -> Set<String> {
    let log = try DiskLog(DiskTrace(base: base(), calls: calls), model)
    var replay = CutReplay(log)
    return Set(
      log.states(at: log.steps.count, .long, seed: 1).map { state in
        replay.files(state).files.sorted { $0.key < $1.key }
          .map { "\($0.key)=\(String(decoding: $0.value, as: UTF8.self))" }.joined(separator: " ")
      })
  }

  private static let replacing = [
    call(.create, "t", file: 2), call(.write, "t", file: 2, "new"), call(.sync, "t", file: 2),
    call(.rename, "t", to: "f", file: 2),
  ]

  @Test(arguments: [DiskModel.strict, .ext4Like])
  func aRenameLastsByTheSyncOfItsDirectory(_ model: DiskModel) throws {
    let left = try Self.left(model, Self.replacing)
    #expect(left.isSuperset(of: ["f=new", model == .strict ? "f=old" : "f=old t=new"]))
    #expect(!left.contains { $0.hasPrefix("f= ") || $0 == "f=" || $0 == "" })
    // Renamed before any of its data is synced, the file may be empty, but its name is there.
    let unsynced = try Self.left(model, [Self.replacing[0], Self.replacing[1], Self.replacing[3]])
    #expect(unsynced.contains("f=") && !unsynced.contains(""))
    #expect(try Self.left(model, Self.replacing + [call(.syncDirectory, "")]) == ["f=new"])
  }

  /// Without a journal, the inode and the name of a file reach the disk independently, and a check of the file system
  /// removes a name whose inode is not in use.
  @Test func withoutAJournalARenameMayLeaveNeitherFile() throws {
    let left = try Self.left(.ext4NoJournal, Self.replacing)
    #expect(left == ["f=new", "f=old t=new", "t=new"])
    #expect(try Self.left(.ext4NoJournal, Self.replacing + [call(.syncDirectory, "")]) == ["f=new"])
    #expect(try Self.left(.ext4NoJournal, [call(.unlink, "f", file: 1)]) == ["f=old", ""])
    // The sync of the directory keeps the name, but the inode may be missing.
    let made = [call(.create, "g", file: 2), call(.syncDirectory, "")]
    #expect(try Self.left(.ext4NoJournal, made) == ["f=old", "f=old g="])
  }

  /// The first sync of a file also syncs the names in its directory. A later one does not.
  @Test func withoutAJournalAFirstSyncKeepsTheNamesOfTheDirectory() throws {
    let next = [call(.create, "t", file: 3), call(.sync, "t", file: 3)]
    #expect(try Self.left(.ext4NoJournal, Self.replacing + next) == ["f=new t="])
    let again = Self.replacing + [call(.sync, "f", file: 2)]
    #expect(try Self.left(.ext4NoJournal, again).contains("f=old t=new"))
    let deep = [
      call(.makeDirectory, "d"), call(.create, "d/x", file: 2), call(.sync, "d/x", file: 2),
    ]
    #expect(try Self.left(.ext4NoJournal, deep) == ["d/x= f=old"])
  }

  /// A rename between two directories may be half complete: both names exist, or none.
  @Test func withoutAJournalARenameBetweenDirectoriesIsTwoChanges() throws {
    let moved = [
      call(.makeDirectory, "d"), call(.syncDirectory, ""), call(.rename, "f", to: "d/g", file: 1),
    ]
    #expect(try Self.left(.ext4NoJournal, moved) == ["d/g=old", "d/g=old f=old", "f=old", ""])
  }

  /// In one model, the sync of a file keeps its name, and in the other only its content.
  @Test func aFileSyncKeepsItsName() throws {
    let made = [
      call(.create, "g", file: 2), call(.write, "g", file: 2, "x"), call(.sync, "g", file: 2),
    ]
    #expect(try Self.left(.ext4Like, made) == ["f=old g=x"])
    #expect(try Self.left(.strict, made) == ["f=old g=x", "f=old"])
    #expect(try Self.left(.ext4NoJournal, made) == ["f=old g=x"])
  }

  @Test(arguments: DiskModel.allCases)
  func anUnsyncedFileMayBeEmpty(_ model: DiskModel) throws {
    let calls = [Self.replacing[0], Self.replacing[1], Self.replacing[3], call(.syncDirectory, "")]
    let left = try Self.left(model, calls)
    #expect(left.contains("f=") && left.contains("f=new"))
  }

  /// Overwritten and appended bytes may be there, missing, or zeros.
  @Test func writesMayBeMissing() throws {
    let appended = [call(.write, "f", file: 1, offset: 3, "XY")]
    for model in DiskModel.allCases {
      #expect(try Self.left(model, appended) == ["f=old", "f=oldXY", "f=old\0\0"])
    }
    // A new block comes with its data, except in the strict model.
    let made = [call(.create, "g", file: 2), call(.write, "g", file: 2, "new")]
    #expect(try Self.left(.ext4Like, made) == ["f=old", "f=old g=", "f=old g=new"])
    #expect(try Self.left(.strict, made) == ["f=old", "f=old g=", "f=old g=new", "f=old g=\0\0\0"])
    let both = [call(.write, "f", file: 1, "A"), call(.write, "f", file: 1, offset: 2, "C")]
    for model in DiskModel.allCases {
      #expect(try Self.left(model, both) == ["f=old", "f=Ald", "f=olC", "f=AlC"])
      #expect(try Self.left(model, both + [call(.sync, "f", file: 1)]) == ["f=AlC"])
      // A synchronous write syncs no other write.
      let one = [both[0], call(.write, "f", file: 1, offset: 2, isSynchronous: true, "C")]
      #expect(try Self.left(model, one) == ["f=olC", "f=AlC"])
    }
  }

  /// A file is truncated and rewritten. A journal keeps the order of names and lengths.
  @Test func aTruncationComesBeforeWhatIsWrittenAfterIt() throws {
    let calls = [
      call(.open, "f", file: 1, truncates: true), call(.write, "f", file: 1, "new!"),
      call(.unlink, "f", file: 1),
    ]
    #expect(try Self.left(.ext4Like, calls) == ["", "f=", "f=new!", "f=old"])
    #expect(try Self.left(.strict, calls).contains(""))
  }

  @Test func aWriteTearsAtSectors() throws {
    let text = String(repeating: "n", count: 1_500)
    let calls = [call(.create, "g", file: 2), call(.write, "g", file: 2, text)]
    let whole = try Self.left(.ext4Like, calls).filter { $0.hasPrefix("f=old g=") }
    #expect(Set(whole.map { $0.utf8.count - 8 }) == [0, 1_500])
    let left = try Self.left(.strict, calls).filter { $0.hasPrefix("f=old g=") }
    #expect(Set(left.map { $0.utf8.count - 8 }) == [0, 512, 1_024, 1_500])
    // The tail alone is written.
    #expect(left.contains { $0.hasPrefix("f=old g=\0") && $0.hasSuffix("n") })
    // A write that disks make as a whole is not torn.
    #expect(try Self.left(.ext4Like, [call(.write, "f", file: 1, "sho")]) == ["f=old", "f=sho"])
  }

  /// Data that is written after a truncation is in blocks that come with it.
  @Test func aTruncationComesWithWhatFollowsIt() throws {
    let calls = [call(.open, "f", file: 1, truncates: true), call(.write, "f", file: 1, "n")]
    #expect(try Self.left(.ext4Like, calls) == ["f=old", "f=", "f=n"])
    #expect(try Self.left(.strict, calls).contains("f=nld"))
  }

  @Test func aDirectoryTakesItsFilesAlong() throws {
    let calls = [
      call(.makeDirectory, "d", file: 8), call(.create, "d/x", file: 2),
      call(.write, "d/x", file: 2, "x"), call(.sync, "d/x", file: 2), call(.syncDirectory, "d"),
    ]
    #expect(try Self.left(.strict, calls) == ["f=old", "d/x=x f=old"])
    #expect(try Self.left(.strict, calls + [call(.syncDirectory, "")]) == ["d/x=x f=old"])
  }

  /// An allowed loss must not hide other faults.
  @Test func anAllowedLossIsNotAllThatIsLookedAt() throws {
    let subject = try #require(CheckedBackend(Careful.self, Options(), .shipped))
    func finding(_ change: (inout StoreRead) -> Void) -> CrashFinding {
      var read = StoreRead()
      read.content = .earlier(1)
      change(&read)
      let judge = PowerJudge(
        subject: subject, model: .ext4Like, saves: [1, 2, 3], onDisk: 1, acknowledged: 3, read: read)
      return judge.finding(CrashCase("power"))
    }
    #expect(finding { _ in }.verdict == .lostWithin)
    let again = finding { $0.again = "record 1 is missing" }
    #expect(again.verdict == .torn && again.isBroken)
    let next = finding { $0.next = "refused" }
    #expect(next.verdict == .refused && next.isBroken)
    let none = finding { $0.content = .earlier(0) }
    #expect(none.verdict == .lostAgainst && none.isBroken)
  }

  /// The number of states may exceed every integer type.
  @Test(arguments: DiskModel.allCases)
  func statesAreCountedAsFarAsTheyCanBe(_ model: DiskModel) throws {
    func possible(_ writes: Int) throws -> Double {
      let calls = (0..<writes).map { call(.write, "f", file: 1, offset: UInt64($0), "x") }
      let log = try DiskLog(DiskTrace(base: Self.base(), calls: calls), model)
      return log.possible(at: log.steps.count)
    }
    #expect(try possible(3) == 8)
    #expect(try possible(1_200).isFinite)
  }

  /// The kernel gives the number of a deleted file to a new one.
  @Test func aNumberIsUsedAgain() throws {
    let calls = [
      call(.unlink, "f", file: 1), call(.create, "f", file: 1), call(.write, "f", file: 1, "new"),
    ]
    #expect(try Self.left(.strict, calls).isSuperset(of: ["", "f=old", "f=new", "f="]))
    #expect(try !Self.left(.ext4Like, calls).contains("f=newold"))
  }

  @Test func locksGoWithThePower() throws {
    let calls = [call(.create, "lock.mdb", file: 2), call(.create, "store.sqlite-shm", file: 3)]
    #expect(try Self.left(.strict, calls) == ["f=old"])
  }

  @Test func aCaseNamesItsState() throws {
    let text = "power:strict:saves=2-5+7:cut=20:missing=3+19s:torn=5@0-512:again=2:lost=1"
    let cut = try PowerCase(CrashCase(parsing: text), of: Array(1...8))
    #expect(cut.saves == [2, 3, 4, 5, 7] && cut.first.missing == ["3", "19s"] && cut.first.torn?.kept == 0..<512)
    #expect(cut.crashCase.description == text)
    for bad in ["power:lax:cut=1", "power:strict:cut=x", "power:strict:cut=1:torn=5@9", "power:strict:saves=2-9:cut=1"]
    {
      #expect(throws: UsageError.self, "\(bad)") { try PowerCase(CrashCase(parsing: bad), of: Array(1...8)) }
    }
  }

  // MARK: - Short sequences

  @Test func sequencesAreAllThatThereAre() throws {
    let lengths = try SaveHistory.sequences(upTo: 2).map(\.saves.count)
    // From an empty store, three saves are possible. After one of them, four, four and five are.
    #expect(lengths == Array(repeating: 2, count: 3) + Array(repeating: 3, count: 13))
    #expect(try Set(SaveHistory.sequences(upTo: 3).map(\.arguments)).count == SaveHistory.sequences(upTo: 3).count)
    #expect(throws: UsageError.self) { try SaveHistory(sequence: [.putFirst, .deleteSecond]) }
    #expect(try SaveHistory(sequence: [.putFirst, .putBoth]).arguments == "--sequence put-1,put-both")
  }

  @Test(arguments: ["plist", "sqlite", "lmdb"])
  func shortSequencesAreKept(_ id: String) throws {
    for history in try SaveHistory.sequences(upTo: 1) {
      let test = try CrashTest(backend(id), durability: .durable, faults: ["power"], history: history)
      let result = try test.results()[0]
      for model in [DiskModel.strict, .ext4Like] {
        let tally = result[model.rawValue]
        #expect(tally.verdicts == [.kept: tally.cases], "\(result)")
      }
      #expect(!result.isBroken)
    }
  }

  // MARK: - Stores

  private static func test(
    _ id: String, _ options: [String] = [], _ durability: Durability, count: Int = 1, only: String? = nil
  ) throws -> CrashResult {
    let history = SaveHistory(records: 4, count: count + 1, recordBytes: 60)
    return try CrashTest.results(
      backend(id), options, durability, ["power"], count: count, history: history, only: only)[0]
  }

  @Test(arguments: ["plist", "archive", "sqlite", "sqlite-queue", "object-graph", "lmdb"])
  func whatIsDurableIsThere(_ id: String) throws {
    let result = try Self.test(id, [], .durable)
    #expect(!result.isBroken && result.tally.cases > 8, "\(result.stories)")
    for model in DiskModel.allCases {
      let tally = result[model.rawValue]
      // Without a journal, a file that replaces another one may be missing until its directory is synced.
      let isReplaced = model == .ext4NoJournal && ["plist", "archive"].contains(id)
      #expect((tally.verdicts == [.kept: tally.cases]) != isReplaced, "\(model): \(result.stories)")
    }
    #expect(result.variants.map(\.name) == ["strict", "ext4-like", "ext4-no-journal"])
  }

  /// The loss of a replaced file on ext4 without a journal is reported as a risk, not as a broken promise.
  @Test func whatOnlyAMissingJournalLosesBreaksNoPromise() throws {
    let result = try Self.test("plist", [], .shipped)
    let tally = result[DiskModel.ext4NoJournal.rawValue]
    #expect(tally[.torn] + tally[.lostAgainst] > 0 && !result.isBroken, "\(result)")
    #expect(result.notes.contains { $0.hasSuffix("a risk on ext4 without a journal.") })
  }

  /// The levels allow this, and SQLite and LMDB behaved like this after a real power cut.
  @Test(arguments: [
    ("sqlite", ["journal=delete"], Durability.shipped), ("sqlite", [], .intact), ("lmdb", [], .intact),
    ("plist", [], .shipped),
  ])
  func whatIsIntactLosesTheLastSaves(_ id: String, _ options: [String], _ durability: Durability) throws {
    let result = try Self.test(id, options, durability)
    #expect(!result.isBroken, "\(result.stories)")
    for model in [DiskModel.strict, .ext4Like] {
      let tally = result[model.rawValue]
      #expect(tally[.lostWithin] > 0 && tally[.torn] + tally[.lostAgainst] + tally[.crashed] == 0, "\(result)")
    }
    let story = try #require(result.stories.first { $0.verdict == .lostWithin })
    #expect(story.sentences.contains { $0.hasPrefix("The power goes after ") && $0.contains("the disk lacks") })
    let again = try Self.test(id, options, durability, only: story.caseName)
    #expect(again.tally.verdicts == [.lostWithin: 1], "\(again)")
  }

  @Test func withoutSyncsAnythingMayBeLeft() throws {
    let result = try Self.test("lmdb", [], .crash, count: 3)
    #expect(result.tally[.torn] + result.tally[.crashed] > 0 && !result.isBroken, "\(result)")
  }

  @Test func whatWritesThroughAMappingIsNotReplayed() throws {
    let result = try Self.test("lmdb", ["writemap=yes"], .shipped)
    #expect(result.notApplicable?.hasPrefix("not replayed") == true && result.tally.cases == 0)
  }

  /// A mapping is detected even if it is not declared: no call shows what is written through it.
  @Test(arguments: [("lmdb", ["writemap=yes"], true), ("lmdb", [], false), ("sqlite", ["journal=wal"], false)])
  func aMappingIsSeen(_ id: String, _ options: [String], _ maps: Bool) throws {
    let trials = try CrashTrials(
      CheckedBackend(id, options), SaveHistory(records: 4, count: 2), in: RAMDisk.path ?? NSTemporaryDirectory(),
      limit: 30)
    defer { trials.end() }
    let rehearsal = try trials.rehearse([1, 2]).rehearsal
    #expect(rehearsal.mapsFiles == maps)
    #expect(try PowerFault.cases(trials, rehearsal, count: 1, seed: 1).isEmpty == maps)
    #expect(PowerFault.lack(rehearsal).hasPrefix("not replayed") == maps)
  }

  @Test func anHonestFileIsNotAccused() throws {
    for backend in [CarefulAndDurable.self, Careful.self] as [any StorageBackend.Type] {
      let test = try CrashTest(backend, faults: ["power"], count: 3, history: SaveHistory(records: 4, count: 4))
      let result = try test.results()[0]
      #expect(!result.isBroken && result.tally[.torn] == 0 && result.tally.cases > 10, "\(result)")
    }
  }
}
