import Foundation
import StorageContract

/// The backend `null`, which stores nothing and so shows the overhead of storage-bench itself. ``hash`` keeps the
/// optimizer from removing the calls.
final class NullBackend: StorageBackend {
  static let description = BackendDescription(
    id: "null", appearance: Appearance(name: "Nothing stored", mark: 15),
    summary: "a hash of the arguments, to see what the suite itself costs",
    safety: "Nothing is stored, not even in memory.",
    kind: { _ in .memory },
    engineVersion: { "none" },
    isVerifiable: false)

  /// The running hash of all keys passed to the backend. A pointer avoids Swift's exclusivity checks of class
  /// properties.
  let hash: UnsafeMutablePointer<UInt64>
  private let lent = Record(id: 0, name: "", group: "", score: 0, modified: 0, payload: [])

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    durability == .shipped ? .level(.volatile) : .unavailable("it stores nothing")
  }

  init(opening environment: StoreEnvironment) throws {
    hash = .allocate(capacity: 1)
    hash.initialize(to: 0xcbf2_9ce4_8422_2325)
  }

  deinit { hash.deallocate() }

  var settings: String { "storage=none" }

  func commit(_ changes: [Change]) throws {
    for change in changes {
      fold(UInt64(bitPattern: change.record.id))
      fold(UInt64(bitPattern: Int64(change.collection.index)))
    }
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    fold(UInt64(bitPattern: key))
    try body(Self.view(key))
    return true
  }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    fold(UInt64(bitPattern: key))
    return lent
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    fold(UInt64(bitPattern: keys.lowerBound))
    fold(UInt64(bitPattern: keys.upperBound))
    _ = try body(Self.view(keys.lowerBound))
  }

  func count(in collection: CollectionID) throws -> Int { 0 }

  func close() throws {}

  @inline(__always)
  private static func view(_ key: Int64) -> RecordView {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    return RecordView(id: key, score: 0, modified: 0, name: nothing, group: nothing, payload: nothing)
  }

  @inline(__always)
  private func fold(_ word: UInt64) { hash.pointee = (hash.pointee ^ word) &* 0x0000_0100_0000_01b3 }
}
