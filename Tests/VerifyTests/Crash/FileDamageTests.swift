import Foundation
import StorageContract
import Testing

@testable import StorageVerify

/// Damage to the files of a store, and the damage that a store does not notice.
@Suite struct FileDamageTests {
  private static func bytes(_ changes: [Int: UInt8], _ count: Int = 9_000) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    for (index, value) in changes { bytes[index] = value }
    return bytes
  }

  @Test func `a page tears between the sectors that have changed`() {
    let old = Self.bytes([:])
    #expect(FileDamage.tears(old, old) == [])
    // One sector is written whole or not at all.
    #expect(FileDamage.tears(Self.bytes([513: 1, 1_023: 1]), old) == [])
    #expect(FileDamage.tears(Self.bytes([511: 1, 1_024: 1]), old) == [512, 1_024])
    // Changes of two pages tear in neither.
    #expect(FileDamage.tears(Self.bytes([4_000: 1, 4_096: 1]), old) == [])
    // Bytes beyond the end of the older version have changed.
    #expect(FileDamage.tears(old, Self.bytes([:], 8_192)) == [8_704])
  }

  @Test(arguments: [FileDamage.Kind.flip, .torn, .truncate, .foreign, .empty, .older])
  func `damage changes the file as its name says`(_ kind: FileDamage.Kind) throws {
    let directory = NSTemporaryDirectory() + "/damage-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let (new, old) = (Self.bytes([100: 1, 700: 2, 5_000: 3]), Self.bytes([:]))
    for (name, bytes) in [("new", new), ("old", old)] {
      try FileManager.default.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: "\(directory)/\(name)/f"))
    }
    _ = try FileDamage(kind: kind, file: "f", seed: 3).apply(in: "\(directory)/new", earlier: "\(directory)/old")
    let left = FileDamage.bytes("f", in: "\(directory)/new")
    switch kind {
    case .flip: #expect(zip(left, new).map { ($0 ^ $1).nonzeroBitCount }.reduce(0, +) == 1 && left.count == new.count)
    case .torn: #expect(left == Self.bytes([100: 1, 5_000: 3]))
    case .truncate: #expect(left.count < new.count && left == Array(new.prefix(left.count)))
    case .foreign: #expect(left.count == new.count && zip(left, new).count { $0 != $1 } > 8_000)
    case .empty: #expect(left == [])
    case .older: #expect(left == old)
    }
  }

  @Test(arguments: [
    ("store.sqlite", "data"), ("store.sqlite-wal", "log"), ("store.sqlite-journal", "log"), ("000003.log", "log"),
    ("store.sqlite-shm", "index"), ("lock.mdb", "index"), ("data.mdb", "data"), ("MANIFEST-000002", "index"),
    ("records.collection/CURRENT", "index"), ("store.plist", "data"),
  ])
  func `a file belongs to a part of its store`(_ file: String, _ part: String) {
    #expect(FileDamage(kind: .empty, file: file, seed: 0).part == part)
  }

  /// SQLite takes the first damaged record of the log for its end, and makes the index anew.
  @Test func `a damaged log of SQLite loses saves without an error`() throws {
    let wal = ["journal=wal"]
    let result = try CrashTest.results(backend("sqlite"), wal, .shipped, ["damage"], count: 90)[0]
    #expect(!result.isBroken)
    let names = ["flip", "torn", "truncate", "empty", "older", "foreign"].flatMap { kind in
      ["data", "log", "index"].map { "\(kind) \($0)" }
    }
    #expect(Set(result.variants.map(\.name)).isSubset(of: names) && result.variants.count > 12, "\(result.variants)")
    #expect(result["flip log"].verdicts == [.unnoticed: result["flip log"].cases], "\(result)")
    #expect(result["older log"].verdicts == [.unnoticed: 1], "\(result)")
    #expect(result["flip index"].verdicts == [.kept: result["flip index"].cases], "\(result)")
    #expect(result["flip data"][.kept] > 0 && result["torn data"][.lostWithin] > 0, "\(result)")
    let cases = result.variants.map(\.tally.cases).reduce(0, +)
    #expect(cases == 90 && result.tally.unreached == 0)
    // The log is only in the store of a process that did not close it.
    let only = "damage:older:file=store.sqlite-wal"
    let again = try CrashTest.results(backend("sqlite"), wal, only: only)[0]
    #expect(again.tally.verdicts == [.unnoticed: 1], "\(again)")
  }

  @Test func `a flipped bit of a property list is often read as valid`() throws {
    let result = try CrashTest.results(backend("plist"), [], .shipped, ["damage"], count: 60)[0]
    #expect(result["flip data"][.unnoticed] > 0 && result["flip data"][.lostWithin] > 0, "\(result)")
    #expect(result["torn data"].verdicts == [.lostWithin: result["torn data"].cases], "\(result)")
  }
}
