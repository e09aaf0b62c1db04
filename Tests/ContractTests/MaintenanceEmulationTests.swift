import Foundation
import TestSupport
import Testing

@testable import StorageContract

@Suite struct MaintenanceEmulationTests {
  @Test func compactionKeepsEveryRecordInOneCommit() throws {
    let environment = StoreEnvironment(directory: "", collections: ["a", "b"])
    let store = try DictionaryStore(opening: environment)
    var random = SplitMix64(seed: 1)
    try store.commit((1...20).map { .put(.random($0, using: &random), in: CollectionID(Int($0) % 2)) })
    try store.commit((1...10).map { .delete($0, in: CollectionID(Int($0) % 2)) })
    let before = store.content
    let compacting = Capability.compacting(of: store, in: environment)
    #expect(!compacting.isNative)
    try compacting.value.compact()
    #expect(store.commits == 3)
    for (old, new) in zip(before, store.content) {
      #expect(old.count == new.count && old.allSatisfy { new[$0.key]?.isIdentical(to: $0.value) ?? false })
    }
  }

  @Test func bulkWorkIsOneCommit() throws {
    let store = try DictionaryStore(collections: 2)
    let bulk = Capability.bulk(of: store)
    #expect(!bulk.isNative)
    try bulk.value.importRecords((1...20).map { .sample($0, score: Double($0 % 7)) }, into: CollectionID(1))
    #expect(store.commits == 1 && store.content[0].isEmpty && store.content[1].count == 20)
    let scores = store.content[1].values.map(\.score).sorted()
    let bound = scores[6]
    let count = try bulk.value.deleteRecords(.score(-.infinity...bound), in: CollectionID(1))
    #expect(count == scores.count { $0 <= bound } && store.commits == 2)
    #expect(store.content[1].count == 20 - count && store.content[1].values.allSatisfy { $0.score > bound })
    // Changes without an effect make no commit.
    try bulk.value.importRecords([], into: .records)
    #expect(try bulk.value.deleteRecords(.or([]), in: CollectionID(1)) == 0)
    #expect(store.commits == 2)
  }

  @Test(arguments: 0..<30) func migrationAddsAndKeeps(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = try DictionaryStore()
    let records = (1...20).map { Record.random($0, using: &random) }
    try store.commit(records.map { .put($0) })
    let migrating = Capability.migrating(of: store)
    #expect(!migrating.isNative)
    let colour = try AddedAttribute("colour", defaultValue: "日本\0")
    let note = try AddedAttribute("note", defaultValue: "")
    try migrating.value.add(colour, in: .records)
    #expect(store.commits == 2)
    try migrating.value.add(note, in: .records)
    #expect(try migrating.value.set(colour, to: "red", of: 3, in: .records))
    #expect(try migrating.value.set(note, to: "seen", of: 3, in: .records))
    #expect(try !migrating.value.set(note, to: "seen", of: 99, in: .records))
    try migrating.value.add(colour, in: .records)
    try store.commit([.put(.sample(21))])

    var own: [Record] = []
    try migrating.value.scan(.all, with: colour, in: .records) { view, value in
      own.append(view.record())
      #expect(value == (view.id == 3 ? "red" : "日本\0"))
      return true
    }
    #expect(own.count == 21 && zip(own, records).allSatisfy { $0.isIdentical(to: $1) })
    #expect(try migrating.value.value(of: note, for: 3) == "seen")
    #expect(try migrating.value.value(of: note, for: 4) == "")
    #expect(try migrating.value.value(of: note, for: 99) == nil)
  }

  @Test func failedMigrationChangesNothing() throws {
    let store = try DictionaryStore()
    try store.commit([.put(.sample(1))])
    let before = store.content
    store.nextFailure = .full("disk")
    let attribute = try AddedAttribute("colour", defaultValue: "red")
    #expect(throws: StoreError.full("disk")) {
      try Capability.migrating(of: store).value.add(attribute, in: .records)
    }
    #expect(store.content == before)
  }

  @Test(arguments: ["", "two words", "1st", "payload", "ID", "x;DROP", "größe"]) func badNames(name: String) {
    #expect(throws: UsageError.self) { try AddedAttribute(name, defaultValue: "") }
  }

  @Test func markedPayloadsWithWrongLengthsAreNotChanged() {
    let payload = AttributedPayload.joined(UnsafeRawBufferPointer(start: nil, count: 0), ["name": "value"])
    for start in 1..<payload.count {
      let bytes = Array(payload[start...])
      #expect(bytes.withUnsafeBytes { AttributedPayload.split($0).payload.count } == bytes.count)
    }
  }
}
