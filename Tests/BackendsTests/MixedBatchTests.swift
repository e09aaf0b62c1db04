import StorageContract
import Testing

@testable import StorageBackends

/// Commits that change several collections with ascending and descending keys. Engines that append keys must detect
/// where they cannot.
@Suite struct MixedBatchTests {
  private static let second = CollectionID(1)

  private static let backends = ["lmdb", "sqlite", "sqlite-queue", "leveldb", "files", "plist"]

  @Test(arguments: Configuration.shipped.filter { backends.contains($0.backend) })
  func keysMayComeInAnyOrder(_ configuration: Configuration) throws {
    let batch: [Change] = [
      .put(Tricky.record(-1, "a")), .put(Tricky.record(5, "b")), .put(Tricky.record(5, "c")), .delete(5),
      .put(Tricky.record(3, "d")), .put(Tricky.record(5, "e")), .put(Tricky.record(7, "f"), in: Self.second),
      .put(Tricky.record(4, "g")), .put(Tricky.record(9, "h")), .delete(7, in: Self.second), .delete(6),
      .put(Tricky.record(6, "i"), in: Self.second), .put(Tricky.record(.min, "j"), in: Self.second),
      .put(Tricky.record(.max, "k"), in: Self.second), .delete(.max, in: Self.second), .put(Tricky.record(8, "l")),
    ]
    try Subject.withStore(configuration, collections: ["records", "second"]) { store in
      try store.commit(batch)
      #expect(try Self.names(store, .records) == ["-1 a", "3 d", "4 g", "5 e", "8 l", "9 h"])
      #expect(try Self.names(store, Self.second) == ["\(Int64.min) j", "6 i"])
      // The same changes on top of existing records.
      try store.commit(batch)
      #expect(try Self.names(store, .records) == ["-1 a", "3 d", "4 g", "5 e", "8 l", "9 h"])
    }
  }

  private static func names(_ store: any StorageBackend, _ collection: CollectionID) throws -> [String] {
    var names: [String] = []
    try store.scan(Int64.min...Int64.max, in: collection) { view in
      let record = view.record()
      names.append("\(record.id) \(record.name)")
      return true
    }
    return names
  }
}
