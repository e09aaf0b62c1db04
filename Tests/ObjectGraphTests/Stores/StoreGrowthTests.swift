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

  @Test("20: twice as many rows are written and read in about twice the time", arguments: [StoreType.binary, .xml])
  func files(_ type: StoreType) throws {
    func write(_ count: Int) throws {
      let history = try StoreHistory(type)
      try history.edit(Self.model) { context in
        for number in 0..<count { try context.insert("Thing").setValue(number, forKey: "number") }
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
      changes.deleted = (1...Int64(count)).filter { $0 % 10 != 0 }.map {
        (ManagedObjectID(entity: things, origin: store.identifier, key: $0), 1)
      }
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
}
