import Foundation
import StorageReport
import Testing

@testable import StorageBench
@testable import StorageVerify

@Suite struct TraceTests {
  /// Returns a call on a file of the store, whose directory is beside that of the temporary files.
  private static func call(
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
  private static func bytes(_ numbers: UInt32..., count: Int? = nil) -> [UInt8] {
    let bytes = numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    return bytes + [UInt8](repeating: 0, count: max(0, (count ?? 0) - bytes.count))
  }

  /// Returns the word, the file and the meaning of each call, as in the table.
  private static func told(_ calls: [LoggedCall]) -> [String] {
    TracedOperation(calls, span: 0...100, store: "store").lines.map { line in
      [line.call, line.file, line.target.map { "-> \($0)" } ?? "", line.meaning].filter { !$0.isEmpty }
        .joined(separator: " | ")
    }
  }

  @Test func aRollbackJournal() {
    let journal = "any.db-journal"
    let header: (UInt32) -> [UInt8] = { Self.bytes(0xD9D5_05F9, 0x20A1_63D7, $0) }
    let told = Self.told([
      Self.call(.create, journal),
      Self.call(.write, journal, data: header(0) + Self.bytes(7, 40, 1_024, 4_096, count: 1_012)),
      Self.call(.write, journal, at: 1_024, data: Self.bytes(5)),
      Self.call(.write, journal, at: 1_028, 4_096),
      Self.call(.write, journal, at: 5_124, data: Self.bytes(99)),
      Self.call(.write, journal, at: 5_128, data: Self.bytes(1)),
      Self.call(.sync, journal),
      Self.call(.syncDirectory, ""),
      Self.call(.write, journal, data: header(2)),
      Self.call(.sync, journal),
      Self.call(.write, "any.db", 4_096),
      Self.call(.write, "any.db", at: 16_384, 4_096),
      Self.call(.sync, "any.db"),
      Self.call(.unlink, journal),
    ])
    #expect(
      told == [
        "create | any.db-journal | begins a rollback journal", "write | any.db-journal | header: not valid yet",
        "write | any.db-journal | page 5: its number", "write | any.db-journal | the page as it was",
        "write | any.db-journal | its checksum", "write | any.db-journal | page 1: its number",
        "sync | any.db-journal | old pages are on the disk", "sync directory | ./ | names of files are on the disk",
        "write | any.db-journal | header: valid now, 2 pages",
        "sync | any.db-journal | from here on a crash rolls back",
        "write | any.db | page 1: header and schema", "write | any.db | page 5",
        "sync | any.db | changed pages are on the disk",
        "unlink | any.db-journal | the commit: nothing is rolled back any more",
      ])
  }

  /// A journal that is kept is invalidated by zeros in its header, or by a length of 0.
  @Test func journalsThatAreKept() {
    #expect(
      Self.told([
        Self.call(.write, "a", 4_096), Self.call(.write, "a-journal", data: [UInt8](repeating: 0, count: 28)),
        Self.call(.truncate, "a-journal"),
      ]) == [
        "write | a | page 1: header and schema", "write | a-journal | the commit: nothing is rolled back any more",
        "truncate | a-journal | the commit: nothing is rolled back any more",
      ])
  }

  /// A journal that is deleted before the database was written is no commit.
  @Test func aJournalThatWasNotNeeded() {
    #expect(
      Self.told([Self.call(.create, "a-journal"), Self.call(.read, "a-journal", 8), Self.call(.unlink, "a-journal")])
        == [
          "create | a-journal | begins a rollback journal", "read | a-journal | does an older header follow?",
          "unlink | a-journal | the end, with nothing changed",
        ])
  }

  @Test func aWriteAheadLog() {
    let told = Self.told([
      Self.call(.open, "s.sqlite-shm"), Self.call(.map, "s.sqlite-shm", 32_768),
      Self.call(.write, "s.sqlite-wal", data: Self.bytes(0x377F_0682, count: 32)),
      Self.call(.write, "s.sqlite-wal", at: 32, data: Self.bytes(3, 0, count: 24)),
      Self.call(.write, "s.sqlite-wal", at: 56, 4_096),
      Self.call(.write, "s.sqlite-wal", at: 4_152, data: Self.bytes(9, 40, count: 24)),
      Self.call(.write, "s.sqlite-wal", at: 4_176, 4_096),
      Self.call(.sync, "s.sqlite-wal"),
      Self.call(.read, "s.sqlite", at: 24, 16), Self.call(.read, "s.sqlite", at: 4_096, 4_096),
      Self.call(.truncate, "s.sqlite", at: 8_192),
    ])
    #expect(
      told == [
        "open | s.sqlite-shm | index of the log, in shared memory",
        "map | s.sqlite-shm | index of the log, in shared memory", "write | s.sqlite-wal | log header",
        "write | s.sqlite-wal | frame of page 3", "write | s.sqlite-wal | page 3",
        "write | s.sqlite-wal | frame of page 9: the commit", "write | s.sqlite-wal | page 9",
        "sync | s.sqlite-wal | the commit is on the disk",
        "read | s.sqlite | change counter: are cached pages current?", "read | s.sqlite | page 2",
        "truncate | s.sqlite",
      ])
  }

  @Test func metaPages() {
    let told = Self.told([
      Self.call(.write, "data.mdb", at: 20_480, 4_096), Self.call(.write, "data.mdb", at: 28_672, 12_288),
      Self.call(.sync, "data.mdb"), Self.call(.write, "data.mdb", at: 4_128, 104, synchronous: true),
      Self.call(.write, "data.mdb", at: 32, 104), Self.call(.open, "lock.mdb"), Self.call(.map, "lock.mdb", 8_192),
      Self.call(.syncMap, "data.mdb", 40_960), Self.call(.syncMap, "data.mdb", at: 4_096, 4_096),
    ])
    #expect(
      told == [
        "write | data.mdb | page 5", "write | data.mdb | pages 7 to 9", "sync | data.mdb | new pages are on the disk",
        "write, syncing | data.mdb | meta page 1: the commit", "write | data.mdb | meta page 0: the commit",
        "open | lock.mdb | table of readers", "map | lock.mdb | table of readers",
        "sync mapping | data.mdb | changed pages are on the disk",
        "sync mapping | data.mdb | meta page 1: the commit is on the disk",
      ])
  }

  @Test func filesThatAreWrittenAnew() {
    #expect(
      Self.told([
        Self.call(.create, "any.x1"), Self.call(.write, "any.x1", 500), Self.call(.sync, "any.x1"),
        Self.call(.rename, "any.x1", to: "any.plist", replacing: 7), Self.call(.syncDirectory, ""),
      ]) == [
        "create | any.x1 | a temporary file", "write | any.x1 | the store, written anew",
        "sync | any.x1 | the new content is on the disk",
        "rename | any.x1 | -> any.plist | the commit: takes the place of the old file",
        "sync directory | ./ | names of files are on the disk",
      ])
    #expect(
      Self.told([
        Self.call(.open, "any.plist", truncating: true), Self.call(.write, "any.plist", 500),
        Self.call(.sync, "any.plist"),
      ]) == [
        "open, emptying | any.plist | emptied in place: a crash from here on loses all",
        "write | any.plist | the store, written anew", "sync | any.plist | the new content is on the disk",
      ])
  }

  @Test func filesOfUnknownFormats() {
    var elsewhere = Self.call(.write, "x", 5)
    elsewhere.name = "tmp/x"
    #expect(
      Self.told([
        Self.call(.create, "something"), Self.call(.write, "something", 5), Self.call(.unlink, "other", result: -2),
        elsewhere, Self.call(.acknowledge, "", at: 1), Self.call(.acknowledge, "", at: 0),
      ]) == [
        "create | something", "write | something", "unlink | other | failed: error 2", "write | ../tmp/x",
        "(acknowledged) | a save has been acknowledged",
      ])
  }

  @Test func onlyTheCallsOfTheOperationAreTaken() {
    var (before, within, after) = (Self.call(.sync, "a"), Self.call(.write, "b", 5), Self.call(.sync, "c"))
    (before.began, before.ended) = (1, 4)
    (within.began, within.ended) = (5, 9)
    (after.began, after.ended) = (11, 12)
    let operation = TracedOperation([before, within, after], span: 5...10, store: "store")
    #expect(operation.lines.map(\.file) == ["b"])
    #expect(operation.lines[0].duration == 4 && operation.lines[0].bytes == 5)
  }

  @Test func theOperationThatIsShownIsNamed() {
    func operation(_ calls: [LoggedCall]) -> TracedOperation { TracedOperation(calls, span: 0...100, store: "store") }
    let save = [Self.call(.write, "a.db-wal", data: Self.bytes(3, 9, count: 24)), Self.call(.sync, "a.db-wal")]
    let other = [Self.call(.write, "a.db-wal", data: Self.bytes(8, 9, count: 24)), Self.call(.sync, "a.db-wal")]
    let first = [Self.call(.create, "a.db-wal")] + save
    let passing = { (name: String) in operation([Self.call(.create, name), Self.call(.rename, name, to: "a")]) }
    let sentence = { TraceRun.sentence(on: $0) }
    // Calls on another page, or on a temporary file with another name, are of the same kind.
    #expect(
      sentence([operation(save), operation(other), operation(save)])
        == "Shown: the third operation; those before it make the same calls.")
    #expect(sentence([passing("x1"), passing("x2")]) == "Shown: the second operation; the first makes the same calls.")
    #expect(
      sentence([operation(first), operation(save), operation(other)])
        == "Shown: the third operation, like the second; only the first also does: create a.db-wal (begins a write-ahead log)."
    )
    #expect(
      sentence([operation(save), operation(first), operation(first)])
        == "Shown: the third operation, like the second; the first makes 1 call less.")
    #expect(
      sentence([operation(save), operation(first), operation(save)])
        == "Shown: the third operation; the operations make 2, 3 and 2 calls.")
    #expect(sentence([operation(save)]) == "Shown: the only operation.")
  }
}
