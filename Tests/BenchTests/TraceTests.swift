import Foundation
import Testing

@testable import StorageBench
@testable import StorageVerify

@Suite struct TraceTests {
  /// Returns a call on a file of the store, whose directory is beside that of the temporary files.
  private func call(
    _ kind: LoggedCall.Kind, _ name: String, at offset: UInt64 = 0, _ length: Int = 0, data: [UInt8]? = nil,
    to otherName: String = "", replacing: UInt64 = 0, synchronous: Bool = false, truncating: Bool = false,
    result: Int64? = nil
  ) -> LoggedCall {
    let path = { (name: String) in name.isEmpty ? "store" : "store/" + name }
    let moves = kind == .write || kind == .read
    return LoggedCall(
      kind: kind, name: path(name), otherName: otherName.isEmpty ? "" : path(otherName), file: 1, replaced: replacing,
      offset: offset, length: UInt64(data?.count ?? length),
      result: result ?? (moves ? Int64(data?.count ?? length) : 0),
      isSynchronous: synchronous, truncates: truncating, isFault: false, began: 10, ended: 20,
      data: data ?? [])
  }

  /// Returns big-endian numbers of four bytes, with zeros up to a count.
  private func bytes(_ numbers: UInt32..., count: Int? = nil) -> [UInt8] {
    let bytes = numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    return bytes + [UInt8](repeating: 0, count: max(0, (count ?? 0) - bytes.count))
  }

  /// Expects the word, the file and the meaning of each call, as in the table; nil if the table leaves the call out.
  private func expectTold(_ calls: (LoggedCall, String?)..., sourceLocation: SourceLocation = #_sourceLocation) {
    let told = TraceReport.lines(of: calls.map(\.0), span: 0...100, store: "store").map { line in
      [line.call, line.file, line.target.map { "-> \($0)" } ?? "", line.meaning].filter { !$0.isEmpty }
        .joined(separator: " | ")
    }
    #expect(told == calls.compactMap(\.1), sourceLocation: sourceLocation)
  }

  @Test func aRollbackJournal() {
    let journal = "a.db-journal"
    let header: (UInt32) -> [UInt8] = { bytes(0xD9D5_05F9, 0x20A1_63D7, $0) }
    let first = header(0) + bytes(7, 40, 1_024, 4_096, count: 1_012)
    expectTold(
      (call(.create, journal), "create | a.db-journal | begins a rollback journal"),
      (call(.write, journal, data: first), "write | a.db-journal | header: not valid yet"),
      (call(.write, journal, at: 1_024, data: bytes(5)), "write | a.db-journal | page 5: its number"),
      (call(.write, journal, at: 1_028, 4_096), "write | a.db-journal | the page as it was"),
      (call(.write, journal, at: 5_124, data: bytes(99)), "write | a.db-journal | its checksum"),
      (call(.write, journal, at: 5_128, data: bytes(1)), "write | a.db-journal | page 1: its number"),
      (call(.sync, journal), "sync | a.db-journal | old pages are on the disk"),
      (call(.syncDirectory, ""), "sync directory | ./ | names of files are on the disk"),
      (call(.write, journal, data: header(2)), "write | a.db-journal | header: valid now, 2 pages"),
      (call(.sync, journal), "sync | a.db-journal | from here on a crash rolls back"),
      (call(.write, "a.db", 4_096), "write | a.db | page 1: header and schema"),
      (call(.write, "a.db", at: 16_384, 4_096), "write | a.db | page 5"),
      (call(.sync, "a.db"), "sync | a.db | changed pages are on the disk"),
      (call(.unlink, journal), "unlink | a.db-journal | the commit: nothing is rolled back any more"))
  }

  /// A journal that is kept is invalidated by zeros in its header, or by a length of 0.
  @Test func journalsThatAreKept() {
    let zeros = [UInt8](repeating: 0, count: 28)
    expectTold(
      (call(.write, "a", 4_096), "write | a | page 1: header and schema"),
      (call(.write, "a-journal", data: zeros), "write | a-journal | the commit: nothing is rolled back any more"),
      (call(.truncate, "a-journal"), "truncate | a-journal | the commit: nothing is rolled back any more"))
  }

  /// A journal that is deleted before the database was written is no commit.
  @Test func aJournalThatWasNotNeeded() {
    expectTold(
      (call(.create, "a-journal"), "create | a-journal | begins a rollback journal"),
      (call(.read, "a-journal", 8), "read | a-journal | does an older header follow?"),
      (call(.unlink, "a-journal"), "unlink | a-journal | the end, with nothing changed"))
  }

  @Test func aWriteAheadLog() {
    let (wal, commit) = ("s.sqlite-wal", bytes(9, 40, count: 24))
    expectTold(
      (call(.open, "s.sqlite-shm"), "open | s.sqlite-shm | index of the log, in shared memory"),
      (call(.map, "s.sqlite-shm", 32_768), "map | s.sqlite-shm | index of the log, in shared memory"),
      (call(.write, wal, data: bytes(0x377F_0682, count: 32)), "write | s.sqlite-wal | log header"),
      (call(.write, wal, at: 32, data: bytes(3, 0, count: 24)), "write | s.sqlite-wal | frame of page 3"),
      (call(.write, wal, at: 56, 4_096), "write | s.sqlite-wal | page 3"),
      (call(.write, wal, at: 4_152, data: commit), "write | s.sqlite-wal | frame of page 9: the commit"),
      (call(.write, wal, at: 4_176, 4_096), "write | s.sqlite-wal | page 9"),
      (call(.sync, wal), "sync | s.sqlite-wal | the commit is on the disk"),
      (call(.read, "s.sqlite", at: 24, 16), "read | s.sqlite | change counter: are cached pages current?"),
      (call(.read, "s.sqlite", at: 4_096, 4_096), "read | s.sqlite | page 2"),
      (call(.truncate, "s.sqlite", at: 8_192), "truncate | s.sqlite"))
  }

  @Test func metaPages() {
    expectTold(
      (call(.write, "data.mdb", at: 20_480, 4_096), "write | data.mdb | page 5"),
      (call(.write, "data.mdb", at: 28_672, 12_288), "write | data.mdb | pages 7 to 9"),
      (call(.sync, "data.mdb"), "sync | data.mdb | new pages are on the disk"),
      (
        call(.write, "data.mdb", at: 4_128, 104, synchronous: true),
        "write, syncing | data.mdb | meta page 1: the commit"
      ),
      (call(.write, "data.mdb", at: 32, 104), "write | data.mdb | meta page 0: the commit"),
      (call(.open, "lock.mdb"), "open | lock.mdb | table of readers"),
      (call(.map, "lock.mdb", 8_192), "map | lock.mdb | table of readers"),
      (call(.syncMap, "data.mdb", 40_960), "sync mapping | data.mdb | changed pages are on the disk"),
      (
        call(.syncMap, "data.mdb", at: 4_096, 4_096),
        "sync mapping | data.mdb | meta page 1: the commit is on the disk"
      ))
  }

  @Test func filesThatAreWrittenAnew() {
    expectTold(
      (call(.create, "any.x1"), "create | any.x1 | a temporary file"),
      (call(.write, "any.x1", 500), "write | any.x1 | the store, written anew"),
      (call(.sync, "any.x1"), "sync | any.x1 | the new content is on the disk"),
      (
        call(.rename, "any.x1", to: "any.plist", replacing: 7),
        "rename | any.x1 | -> any.plist | the commit: takes the place of the old file"
      ), (call(.syncDirectory, ""), "sync directory | ./ | names of files are on the disk"))
    expectTold(
      (
        call(.open, "any.plist", truncating: true),
        "open, emptying | any.plist | emptied in place: a crash from here on loses all"
      ),
      (call(.write, "any.plist", 500), "write | any.plist | the store, written anew"),
      (call(.sync, "any.plist"), "sync | any.plist | the new content is on the disk"))
  }

  @Test func filesOfUnknownFormats() {
    var elsewhere = call(.write, "x", 5)
    elsewhere.name = "tmp/x"
    expectTold(
      (call(.create, "something"), "create | something"), (call(.write, "something", 5), "write | something"),
      (call(.unlink, "other", result: -2), "unlink | other | failed: error 2"), (elsewhere, "write | ../tmp/x"),
      (call(.acknowledge, "", at: 1), "(acknowledged) | a save has been acknowledged"),
      (call(.acknowledge, "", at: 0), nil))
  }

  @Test func onlyTheCallsOfTheOperationAreTaken() {
    var (before, within, after) = (call(.sync, "a"), call(.write, "b", 5), call(.sync, "c"))
    (before.began, before.ended) = (1, 4)
    (within.began, within.ended) = (5, 9)
    (after.began, after.ended) = (11, 12)
    let lines = TraceReport.lines(of: [before, within, after], span: 5...10, store: "store")
    #expect(lines.map(\.file) == ["b"])
    #expect(lines[0].duration == 4 && lines[0].bytes == 5)
  }

  @Test func theOperationThatIsShownIsNamed() {
    func operation(_ calls: [LoggedCall]) -> [TraceReport.Line] {
      TraceReport.lines(of: calls, span: 0...100, store: "store")
    }
    let save = [call(.write, "a.db-wal", data: bytes(3, 9, count: 24)), call(.sync, "a.db-wal")]
    let other = [call(.write, "a.db-wal", data: bytes(8, 9, count: 24)), call(.sync, "a.db-wal")]
    let first = [call(.create, "a.db-wal")] + save
    let passing = { (name: String) in [call(.create, name), call(.rename, name, to: "a")] }
    func sentence(_ operations: [LoggedCall]...) -> String { TraceRun.sentence(on: operations.map(operation)) }
    // Calls on another page, or on a temporary file with another name, are of the same kind.
    #expect(sentence(save, other, save) == "Shown: the third operation; those before it make the same calls.")
    #expect(sentence(passing("x1"), passing("x2")) == "Shown: the second operation; the first makes the same calls.")
    #expect(
      sentence(first, save, other)
        == "Shown: the third operation, like the second; only the first also does: create a.db-wal (begins a write-ahead log)."
    )
    #expect(
      sentence(save, first, first)
        == "Shown: the third operation, like the second; the first makes 1 call less.")
    #expect(sentence(save, first, save) == "Shown: the third operation; the operations make 2, 3 and 2 calls.")
    #expect(sentence(save) == "Shown: the only operation.")
  }
}
