import Foundation
import Testing
import TestSupport

@testable import ObjectGraph

/// Semantic 20: the work of a store that is in memory as a whole grows in step with the number of rows.
@Suite(.serialized) struct StoreGrowthTests {
  private static let model: [EntityDescription] = [
    EntityDescription(
      "Thing", attributes: [AttributeDescription("number", .integer64)],
      relationships: [RelationshipDescription("owner", to: "Owner", inverse: "things")],
      uniquenessConstraints: [["number"]]),
    EntityDescription("Owner", relationships: [RelationshipDescription("things", toMany: "Thing", inverse: "owner")]),
  ]

  /// A store that holds some things, not saved.
  private func store(_ count: Int) throws -> (store: AtomicStore, things: Entity) {
    let model = try ManagedObjectModel(Self.model)
    let store = try AtomicStore(at: nil, .inMemory, model, StoreOptions())
    let things = try model.entity("Thing")
    try store.begin()
    let first = try store.allocateKeys(count, things)
    var changes = StoreChanges()
    changes.inserted = [.init(entity: things, firstKey: first, values: (0..<Int64(count)).map(values)[...])]
    try store.write(changes) { $0 }
    try store.commit()
    return (store, things)
  }

  private func values(_ number: Int64) -> [Value] { [.integer(number), .integer(1)] }

  private func id(_ key: Int64, _ entity: Entity, _ store: AtomicStore) -> ManagedObjectID {
    ManagedObjectID(entity: entity, origin: store.identifier, key: key)
  }

  @Test("20: twice as many rows are written and read in about twice the time", arguments: [StoreType.binary, .xml])
  func files(_ type: StoreType) throws {
    func write(_ count: Int) throws {
      let history = try StoreHistory(type)
      try history.open(Self.model) { context in
        for number in 0..<count { try context.insert("Thing").setValue(number, forKey: "number") }
        try context.save()
      }
      #expect(try history.open(Self.model) { try $0.count(for: FetchRequest<ManagedObject>("Thing")) } == count)
    }
    #expect(try WorkGrowth.ratio(enough: 3.2, of: { try write(5_000) }, to: { try write(10_000) }) < 3.2)
  }

  @Test("20: twice as many rows are deleted, and that taken back, in about twice the time")
  func deleting() throws {
    func delete(_ count: Int) throws {
      let (store, things) = try store(count)
      var changes = StoreChanges()
      changes.deleted = (1...Int64(count)).filter { $0 % 10 != 0 }.map { (id($0, things, store), 1) }
      // The last change of them cannot be.
      changes.inserted = [.init(entity: things, firstKey: 1_000_000, values: [values(0), values(0)])]
      try store.begin()
      #expect(throws: ObjectGraphError.self) { try store.write(changes) { $0 } }
      store.rollback()
      #expect(store.contents[things].rows.count == count)
      changes.inserted = []
      try store.begin()
      try store.write(changes) { $0 }
      try store.commit()
      #expect(store.contents[things].rows.count == count / 10)
      #expect(store.contents[things].sorted.map(\.key).elementsEqual(stride(from: 10, through: Int64(count), by: 10)))
    }
    #expect(try WorkGrowth.ratio(enough: 3.2, of: { try delete(20_000) }, to: { try delete(40_000) }) < 3.2)
  }

  /// A value that counts how often it is looked at.
  private final class Counter {
    var looks = 0
  }

  private struct Counted: Hashable {
    let value: Int
    let counter: Counter

    static func == (left: Self, right: Self) -> Bool {
      left.counter.looks += 1
      return left.value == right.value
    }

    func hash(into hasher: inout Hasher) {
      counter.looks += 1
      hasher.combine(value)
    }
  }

  @Test("20: an index looks at ten times as many keys for ten times as many rows")
  func indexing() {
    let looks = [10_000, 100_000].map { count in
      let counter = Counter()
      var map = KeyMap<Counted>()
      // Some values have one key, one has half of all.
      for key in 0..<count { map.set(Int64(key), for: Counted(value: key % 2 * key, counter: counter), isThere: true) }
      #expect(map[Counted(value: 0, counter: counter)].count == count / 2)
      for key in 0..<count { map.set(Int64(key), for: Counted(value: key % 2 * key, counter: counter), isThere: false) }
      #expect(map.keys.isEmpty)
      return counter.looks
    }
    #expect(looks[0] > 10_000)
    #expect(Double(looks[1]) / Double(looks[0]) < 15)
  }

  @Test("20: keys of a value are a set, in order, whichever came first or goes first")
  func keySets() {
    var random = SplitMix64(seed: 3)
    var map = KeyMap<Int>()
    var expected: [Int: Set<Int64>] = [:]
    for _ in 0..<5_000 {
      let (value, key) = (Int.random(in: 0..<5, using: &random), Int64.random(in: 1...6, using: &random))
      if random.chance(50) {
        let isNew = map.set(key, for: value, isThere: true)
        let isExpected = expected[value, default: []].insert(key).inserted
        #expect(isNew == isExpected)
      } else {
        let wasThere = map.set(key, for: value, isThere: false)
        let isExpected = expected[value, default: []].remove(key) != nil
        #expect(wasThere == isExpected)
      }
      #expect(map[value] == expected[value, default: []].sorted())
      #expect(Set(map.keys.keys) == Set(expected.filter { !$0.value.isEmpty }.keys))
    }
  }
}
