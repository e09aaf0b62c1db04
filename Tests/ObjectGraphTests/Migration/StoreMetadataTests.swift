import Foundation
import ObjectGraph
import TestSupport
import Testing

/// The metadata of a store, and a program that knows a store by them only.
@Suite struct StoreMetadataTests {
  @Test(
    "29: the same UUID after every opening and migration, and the model that made it", arguments: StoreHistory.types)
  func metadata(_ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    let model = try ManagedObjectModel(School.entities)
    let v2 = try ManagedObjectModel(School.entities.changing("Students") { $0.indexes = [["studentName"]] })
    let before = try history.bytes()
    func made(_ history: StoreHistory) throws -> ManagedObjectModel {
      try ManagedObjectModel(PersistentStoreCoordinator.entities(ofStoreOf: type, at: history.url))
    }
    let known = try made(history)
    #expect(try history.bytes() == before)
    #expect(known.versionHashes == model.versionHashes && known.versionHashes != v2.versionHashes)
    #expect(try known.entity("Students").description.indexes == [["studentId"]])
    func identifier(_ context: ManagedObjectContext) -> UUID {
      context.persistentStoreCoordinator.persistentStores[0].identifier
    }
    let uuid = try history.open(School.entities) { identifier($0) }

    // While somebody has it open, too.
    try history.open(v2.entities.map(\.description), .migrating) { context in
      #expect(identifier(context) == uuid)
      try context.savedStudent("S99")
      #expect(try made(history).versionHashes == v2.versionHashes)
    }
    let other = try StoreHistory(type)
    #expect(try other.open(School.entities) { identifier($0) } != uuid)
  }

  @Test("29: the model of what is no store", arguments: StoreHistory.types)
  func refused(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    func error() throws -> ObjectGraphError {
      try #require(throws: ObjectGraphError.self) {
        try PersistentStoreCoordinator.entities(ofStoreOf: type, at: history.url)
      }
    }
    let missing = try error()
    guard case .cannotOpen = missing else { throw missing }
    #expect("\(missing)".contains("store.db"))
    #expect(try history.bytes().isEmpty)
    for text in ["", "Dear diary,\n"] {
      try Data(text.utf8).write(to: history.url)
      #expect(try error().damage != nil, "'\(text)'")
    }
  }

  @Test(
    "24: a live store gets an attribute and an index, by a program that knows the store alone",
    arguments: StoreHistory.types)
  func live(_ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    // One attribute after the other, each by a model that is made from what the store says.
    for number in 1...2 {
      var entities = try PersistentStoreCoordinator.entities(ofStoreOf: type, at: history.url)
      let index = try #require(entities.firstIndex { $0.name == "Courses" })
      entities[index].attributes.append(
        AttributeDescription("tag\(number)", .string, optional: false, default: .string("new \(number)")))
      entities[index].indexes.append(["tag\(number)"])
      try history.open(entities, .migrating) { context in
        let request = FetchRequest<ManagedObject>("Courses", where: Property("tag\(number)") == "new \(number)")
        try #require(try context.fetch(request).last).setValue("set \(number)", forKey: "tag\(number)")
        try context.save()
        #expect(try context.count(for: request) == 3)
      }
    }
    // The program's own model, unchanged by the store.
    let known = try ManagedObjectModel(School.entities)
    let entities = try PersistentStoreCoordinator.entities(ofStoreOf: type, at: history.url).map { stored in
      var entity = try known.entity(stored.name).description
      entity.attributes += stored.attributes.filter { new in !entity.attributes.contains { $0.name == new.name } }
      entity.indexes = stored.indexes
      return entity
    }
    try history.open(entities) { context in
      let course = try #require(try context.fetch(FetchRequest<Course>()).last)
      #expect(course.courseName == "History" && !course.students.isEmpty)
      #expect(course["tag1"] == "set 1" && course["tag2"] == "set 2")
    }
  }
}
