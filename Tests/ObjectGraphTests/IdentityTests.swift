import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantics 2, 18 and 19: object IDs across contexts and launches; find or create.
@Suite struct IdentityTests {
  @Test("2, 18: an ID leads to one object in a context, and to an equal one in another", arguments: Stack.types)
  func uniquing(_ type: StoreType) throws {
    let stack = try Stack(type)
    let student = try stack.context.student("S1", in: stack.context.schoolClass(1))
    try stack.context.save()
    let other = stack.otherContext()
    #expect(!other.registeredObjects.contains { $0.objectID == student.objectID })
    let first = try #require(other.object(with: student.objectID) as? Student)
    #expect(first !== student && first.isFault && first.objectID == student.objectID)
    #expect(first.studentId == "S1" && first.schoolClass?.classId == 1 && first.schoolClass !== student.schoolClass)
    for _ in 1...2 { #expect(try other.fetch(FetchRequest<Student>()) == [first]) }
    #expect(first.schoolClass?.students == [first])
    #expect(try other.existingObject(with: student.objectID) === first)
    #expect(other.registeredObjects.filter { $0.objectID == student.objectID } == [first])
    // A new object is found by its old object and by its new ID.
    #expect(try stack.context.fetch(FetchRequest<Student>()).first === student)
  }

  @Test("18: one object for one URI, whatever its key is; a URI without a key is refused", arguments: Stack.types)
  func craftedURIs(_ type: StoreType) throws {
    let stack = try Stack(type)
    let (context, coordinator) = (stack.context, stack.coordinator)
    let made = try context.savedStudent("S1")
    func id(_ entity: String, _ key: String) throws -> ManagedObjectID? {
      let text = "x-coredata://\(stack.store.identifier.uuidString)/\(entity)/\(key)"
      return coordinator.managedObjectID(forURIRepresentation: try #require(URL(string: text)))
    }
    for key in ["p0", "p-1", "p-0", "p", "t1", "1", "p9223372036854775808", "p1x", "p1/p1", "p1.0", "P1"] {
      #expect(try id("Students", key) == nil, "\(key)")
    }
    // Keys that meet the number of an entity in its upper bits, at the limits and beside each other.
    let keys = (0..<63).map { Int64(1) << $0 } + (1...8).map { $0 << 48 } + [.max, .max - 1]
    var held: Set<ManagedObject> = []
    for entity in stack.model.entities {
      for key in keys {
        let id = try #require(try id(entity.name, "p\(key)"))
        let object = context.object(with: id)
        held.insert(object)
        #expect(context.object(with: id) === object && context.registeredObjects.contains(object), "\(id)")
        #expect(object.objectID == id)
      }
    }
    #expect(held.count == Set(keys).count * stack.model.entities.count && held.contains(made))
    for object in held { #expect(context.object(with: object.objectID) === object) }
    // The same key in other digits is the same object.
    for key in ["p+1", "p01"] {
      #expect(try id("Students", key).map { context.object(with: $0) === made } ?? true, "\(key)")
    }
    #expect(try context.existingObject(with: try #require(try id("Students", "p\(Int64.max)"))) == nil)
  }

  @Test("18: a URI leads back to the ID, also after the store was opened again", arguments: Stack.types)
  func uri(_ type: StoreType) throws {
    let stack = try Stack(type)
    let student = try stack.context.student("S1")
    let temporary = student.objectID.uriRepresentation
    #expect(temporary.lastPathComponent.hasPrefix("t"))
    #expect(stack.coordinator.managedObjectID(forURIRepresentation: temporary) == nil)
    try stack.context.save()
    let uri = student.objectID.uriRepresentation
    #expect(uri.absoluteString == "x-coredata://\(stack.store.identifier.uuidString)/Students/p1")
    #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == student.objectID)
    let fresh = try stack.forgetful()
    let id = try #require(fresh.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri))
    #expect((try fresh.existingObject(with: id) as? Student)?.studentId == "S1")
    // Key, entity, store and scheme are all part of it.
    let text = uri.absoluteString
    let uuid = stack.store.identifier.uuidString
    for wrong in [
      text.replacing("/p1", with: "/q1"), text.replacing("/p1", with: "/p99999999999999999999"),
      text.replacing("Students", with: "Pupils"), text.replacing(uuid, with: UUID().uuidString),
      text.replacing(uuid, with: "here"), text.replacing("x-coredata", with: "file"), "x-coredata:///Students/p1",
      "x-coredata:", "p1",
    ] {
      #expect(
        stack.coordinator.managedObjectID(forURIRepresentation: try #require(URL(string: wrong))) == nil, "\(wrong)")
    }
  }

  @Test(
    "18: an ID that another coordinator made leads to the same object", arguments: [StoreType.sqlite, .binary, .xml])
  func otherCoordinator(_ type: StoreType) throws {
    let stack = try Stack(type)
    let student = try stack.context.student("S1")
    let home = try stack.context.schoolClass(1)
    student.schoolClass = home
    try stack.context.save()
    // Its model is another instance.
    let other = try Stack.open(type, at: stack.url)
    let there = try #require(try other.existingObject(with: student.objectID) as? Student)
    #expect(there.studentId == "S1" && there.entity === other.object(with: there.objectID).entity)
    #expect(other.object(with: student.objectID) === there)
    #expect(other.registeredObjects.filter { $0.objectID == there.objectID } == [there])
    #expect(there.schoolClass === other.object(with: home.objectID))
    #expect(there.schoolClass?.students == [there])
    // One of a model that has no such entity leads nowhere.
    let logs = try Stack(model: try AppLogs.model())
    for id in [student.objectID, home.objectID] {
      #expect(try logs.context.existingObject(with: id) == nil)
      let gone = logs.context.object(with: id)
      #expect(
        try gone.value(forKeyPath: id == home.objectID ? "class_students" : "student_class.classId") == nil
          || gone.isDeleted)
      #expect(throws: ObjectGraphError.self) { try gone.setValue(nil, forKey: gone.entity.attributes[0].name) }
    }
    try logs.context.save()
  }

  @Test("19: find or create twice is one object, saved or not, in any context", arguments: Stack.types)
  func findOrCreate(_ type: StoreType) throws {
    let stack = try Stack(type, model: try AppLogs.model())
    let context = stack.context
    let first = try AppLog.findOrCreate("log 1", of: "user 1", in: context)
    #expect(first.isInserted && first.appLogID == "log 1" && first.userID == "user 1")
    #expect(try AppLog.findOrCreate("log 1", of: "user 1", in: context) === first)
    #expect(try AppLog.findOrCreate("log 1", of: "user 2", in: context) !== first)
    try context.save()
    #expect(try AppLog.findOrCreate("log 1", of: "user 1", in: context) === first)
    #expect(try context.count(for: FetchRequest<AppLog>()) == 2)
    first.accuracy = 0.5
    try context.save()
    let fresh = try stack.forgetful()
    let found = try AppLog.findOrCreate("log 1", of: "user 1", in: fresh)
    #expect(
      !found.isInserted && !found.isFault && found.accuracy == 0.5
        && found.objectID.uriRepresentation == first.objectID.uriRepresentation)
    try fresh.save()
    #expect(try fresh.count(for: FetchRequest<AppLog>()) == 2)
    // One that was deleted and not saved is not found; it is made anew.
    try fresh.delete(found)
    let again = try AppLog.findOrCreate("log 1", of: "user 1", in: fresh)
    #expect(again !== found && again.isInserted && again.accuracy == nil)
    try fresh.save()
    #expect(try stack.forgetful().count(for: FetchRequest<AppLog>()) == 2)
  }
}
