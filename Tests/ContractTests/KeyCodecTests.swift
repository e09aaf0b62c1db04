import Foundation
import Testing

@testable import StorageContract

@Suite struct KeyCodecTests {
  private static func bytes(_ key: Int64, _ collection: Int) -> [UInt8] {
    KeyCodec.withBytes(of: key, in: CollectionID(collection)) { Array($0) }
  }

  private static let keys: [Int64] = [.min, .min + 1, -256, -1, 0, 1, 127, 128, 255, 256, 1 << 32, .max - 1, .max]

  @Test func bytesAreInTheOrderOfCollectionsAndKeys() throws {
    let all = [0, 1, 255, 256].flatMap { collection in Self.keys.map { Self.bytes($0, collection) } }
    for (left, right) in zip(all, all.dropFirst()) { #expect(left.lexicographicallyPrecedes(right)) }
    #expect(all.allSatisfy { $0.count == KeyCodec.size })
  }

  @Test func keysComeBack() throws {
    for key in Self.keys {
      #expect(KeyCodec.key(ordered: KeyCodec.ordered(key)) == key)
      let (same, other) = try Self.bytes(key, 3).withUnsafeBytes { bytes in
        (try KeyCodec.key(bytes, in: CollectionID(3)), try KeyCodec.key(bytes, in: CollectionID(2)))
      }
      #expect(same == key && other == nil)
    }
  }

  @Test func whatIsNoKeyIsDamage() {
    for count in [0, 8, 11, 13] {
      [UInt8](repeating: 0, count: count).withUnsafeBytes { bytes in
        #expect(throws: StoreError.damaged("a key of \(count) bytes is not a key of a record")) {
          try KeyCodec.key(bytes, in: .records)
        }
      }
    }
  }
}

/// Error texts of LevelDB and RocksDB, and texts that are made to be misread as such.
@Suite struct EngineErrorTests {
  @Test(arguments: [
    ("IO error: /d/1.log: No space left on device", StoreError.full("IO error: 1.log: No space left on device")),
    ("IO error: /d/LOCK: Read-only file system", .readOnly("IO error: LOCK: Read-only file system")),
    ("IO error: /d/LOCK: Permission denied", .readOnly("IO error: LOCK: Permission denied")),
    (
      "IO error: lock /d/LOCK: Resource temporarily unavailable",
      .busy("IO error: lock LOCK: Resource temporarily unavailable")
    ),
    ("IO error: lock /d/LOCK: already held by process", .busy("IO error: lock LOCK: already held by process")),
    ("Corruption: bad block in /d", .damaged("Corruption: bad block in .")),
    ("IO error: /d/1.log: Input/output error", .failed("IO error: 1.log: Input/output error")),
    ("", .failed("")),
  ])
  func textsAreSorted(_ text: String, _ error: StoreError) {
    #expect(StoreError(engine: text, in: "/d", busy: ["already held"]) == error)
  }

  @Test func theDirectorysNameDecidesNothing() {
    let directory = "/tmp/Corruption: No space left on device"
    let error = StoreError(engine: "IO error: \(directory)/1.log: Input/output error", in: directory)
    #expect(error == .failed("IO error: 1.log: Input/output error"))
  }

  @Test func aCallThatLeavesATextThrowsIt() throws {
    #expect(try StoreError.check(in: "/d") { _ in 5 } == 5)
    #expect(throws: StoreError.damaged("Corruption: x")) {
      try StoreError.check(in: "/d") { $0.pointee = strdup("Corruption: x") }
    }
  }
}
