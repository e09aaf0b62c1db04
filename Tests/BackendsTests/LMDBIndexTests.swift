import Foundation
import StorageContract
import TestSupport
import Testing

@testable import StorageBackends

/// Every change of an LMDB store with indexes changes them in the same transaction.
@Suite struct LMDBIndexTests {
  private static let fields: [RecordField] = [.name, .group, .score, .modified]
  private static let long = String(repeating: "long", count: 150)

  private static func record(_ dice: inout SplitMix64) -> Record {
    let texts = ["", "a", "a\0", "ab", "é", long, long + "a", long + "b"]
    let numbers = [-2.5, -1, -0.0, 0, 3, .nan, .infinity, -.infinity]
    return Record(
      id: .random(in: -20...20, using: &dice), name: texts.randomElement(using: &dice)!,
      group: texts.randomElement(using: &dice)!, score: numbers.randomElement(using: &dice)!,
      modified: numbers.randomElement(using: &dice)!, payload: [])
  }

  private static func changes(_ count: Int, _ dice: inout SplitMix64) -> [Change] {
    (0..<count).map { _ in
      dice.chance(30) ? .delete(.random(in: -20...20, using: &dice)) : .put(record(&dice))
    }
  }

  /// A list sorted by an index has each record once, in the order in which sorting all records gives it.
  private static func check(_ store: any StorageBackend, after step: String) throws {
    let records = try store.records(.all, in: .records)
    let querying = try #require(store as? any Querying)
    for field in fields {
      for isDescending in [false, true] {
        let query = RecordQuery(sortedBy: [isDescending ? .descending(field) : .ascending(field)])
        let found = try querying.records(query).map(\.id)
        #expect(found == records.sorted(by: query.precedes).map(\.id), "\(field) after \(step)")
      }
    }
  }

  private static func index(_ store: any StorageBackend) throws {
    let querying = try #require(store as? any Querying)
    for field in RecordField.allCases { #expect(try querying.index(field, in: .records)) }
  }

  @Test(arguments: ["integer", "uuid4", "uuid7-text"], [["records"], ["records", "others"]])
  func everyChangeKeepsTheIndexes(ids: String, collections: [String]) throws {
    try Subject.with(Configuration("lmdb", ["ids=\(ids)"]), collections: collections) { subject in
      var dice = SplitMix64(seed: 1)
      var store = try subject.open()
      try store.commit((0..<30).map { _ in .put(Self.record(&dice)) })
      try Self.index(store)
      try Self.check(store, after: "indexing")
      for number in 0..<50 {
        let bulk = Capability.bulk(of: store).value
        switch number % 5 {
        case 0: try store.commit(Self.changes(1, &dice))
        case 1: try store.commit(Self.changes(12, &dice))
        case 2:
          let changes = Self.changes(5, &dice)
          try Capability.transactional(of: store).value.transaction { for change in changes { try $0.apply(change) } }
        case 3: try bulk.importRecords((0..<12).map { _ in Self.record(&dice) }, into: .records)
        default:
          #expect(try bulk.deleteRecords(.score(-1...0), in: .records) >= 0)
          try store.close()
          store = try subject.open()
        }
        try Self.check(store, after: "step \(number)")
      }
      try Capability.compacting(of: store, in: subject.environment()).value.compact()
      try store.commit([.put(Self.record(&dice))])
      try Self.check(store, after: "compacting")
      #expect(try Capability.bulk(of: store).value.deleteRecords(.everything, in: .records) > 0)
      try store.commit((0..<5).map { _ in .put(Self.record(&dice)) })
      try Self.check(store, after: "deleting everything")
      try store.close()
    }
  }

  @Test func aStoreMadeWithoutANameCannotGetOne() throws {
    try Subject.with(Configuration("lmdb"), collections: ["records"]) { subject in
      try subject.writeFixture([Tricky.record(1, "a")])
      let options = Configuration("lmdb", ["named=yes"])
      let named = Subject(options, directory: subject.directory, collections: ["records"])
      #expect {
        _ = try named.open()
      } throws: { "\($0)".contains("without named=yes") }
      #expect(try subject.withOpen { try $0.count(in: .records) } == 1)
    }
  }

  /// Listing the backends must not wait for a pipe.
  @Test func aPipeIsNoLibrary() throws {
    let directory = try Subject.temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let linked = try #require(SharedObject.file(of: dlsym(nil, "mdb_version")))
    #expect(SharedObject(linked)?.isComplete == true)
    #expect(mkfifo("\(directory)/pipe", 0o600) == 0)
    #expect(SharedObject("\(directory)/pipe") == nil && SharedObject(directory) == nil)
  }

  @Test func savesOfSeveralThreadsKeepTheIndexes() throws {
    try Subject.with(Configuration("lmdb"), collections: ["records"]) { subject in
      var dice = SplitMix64(seed: 2)
      try subject.withOpen { try Self.index($0) }
      let shared = try LMDBBackend.openShared(subject.environment())
      for change in Self.changes(60, &dice) { try shared.write { try $0.apply(change) } }
      try shared.close()
      try subject.withOpen { try Self.check($0, after: "shared saves") }
    }
  }

  /// A query by an index reads only the records that it returns, so it does not notice that another one is absent.
  @Test func onlyTheResultsAreRead() throws {
    try Subject.withStore(Configuration("lmdb"), collections: ["records"], as: LMDBBackend.self) { _, store in
      try store.commit((0..<9).map { .put(Tricky.record($0, "name \($0)", score: Double($0))) })
      try Self.index(store)
      try store.write { store.databases[0].deleteAlone(3, $0) }
      #expect(try store.records(RecordQuery(.name("name 5"))).map(\.id) == [5])
      #expect(try store.records(RecordQuery(.score(4...6), sortedBy: [.descending(.score)])).map(\.id) == [6, 5, 4])
      let page = RecordQuery(sortedBy: [.ascending(.name)], limit: 2, offset: 5)
      #expect(try store.records(page).map(\.id) == [5, 6])
      let next = RecordQuery(.after(name: "name 6", key: 6), sortedBy: [.ascending(.name)], limit: 2)
      #expect(try store.records(next).map(\.id) == [7, 8])
      #expect(throws: StoreError.self) { try store.records(RecordQuery(sortedBy: [.ascending(.name)])) }
    }
  }
}
