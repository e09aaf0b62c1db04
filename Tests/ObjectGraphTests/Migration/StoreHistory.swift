import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Exit tests encode the values that they capture.
extension StoreType: Codable {}

/// A store in a temporary directory that one model after another opens.
final class StoreHistory {
  static let types: [StoreType] = [.sqlite, .binary, .xml]

  let directory: URL
  let type: StoreType
  private let log = StatementLog()

  init(_ type: StoreType = .sqlite) throws {
    self.type = type
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("history-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// A store that holds a ``School``.
  static func school(_ type: StoreType = .sqlite, students: Int = 12) throws -> StoreHistory {
    let history = try StoreHistory(type)
    try history.open(School.entities) { try School.fill($0, students: students) }
    return history
  }

  /// The objects of the store, opened with a model.
  func graph(_ entities: [EntityDescription] = School.entities, _ options: StoreOptions = StoreOptions()) throws
    -> Graph
  {
    try open(entities, options) { try Graph($0) }
  }

  func studentCount() throws -> Int { try open(School.entities) { try $0.studentCount() } }

  var url: URL { directory.appendingPathComponent("store.db") }

  /// The SQL of the last opening and what was done with it, values in place.
  var statements: [String] { log.statements }

  /// Opens the store, hands a context to the block, and closes the store.
  @discardableResult
  func open<Result>(
    _ entities: [EntityDescription], _ options: StoreOptions = StoreOptions(),
    _ body: (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    log.clear()
    let coordinator = PersistentStoreCoordinator(try ManagedObjectModel(entities))
    var options = options
    options.sqlTrace = log.add
    options.synchronous = .off
    let store = try coordinator.addPersistentStore(type, at: url, options: options)
    let result = Swift.Result { try body(ManagedObjectContext(coordinator, .confinement)) }
    try coordinator.remove(store)
    return try result.get()
  }

  /// Opens the store, and saves what the block changes.
  func edit<Result>(
    _ entities: [EntityDescription] = School.entities, _ options: StoreOptions = StoreOptions(),
    _ body: (ManagedObjectContext) throws -> Result
  ) throws {
    try open(entities, options) { context in
      _ = try body(context)
      try context.save()
    }
  }

  /// The rows of a statement, run by another connection.
  @discardableResult
  func rows(_ sql: String) throws -> [[String]] { try Database.rows(url, sql) }

  /// Every byte of the store, its log included, with or without the file that SQLite's connections share.
  func bytes(all: Bool = true) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
      all || !$0.hasSuffix("-shm")
    }
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: directory.appendingPathComponent($0))) })
  }

  func copy() throws -> StoreHistory {
    let other = try StoreHistory(type)
    for (name, data) in try bytes() { try data.write(to: other.directory.appendingPathComponent(name)) }
    return other
  }

  /// The tables with their columns in any order, and the indexes.
  func schema() throws -> Set<String> {
    let tables = try rows("SELECT name FROM sqlite_master WHERE type = 'table'").map { $0[0] }
    let columns = try tables.flatMap { table in
      try rows("SELECT name, type, pk FROM pragma_table_info('\(table)')").map {
        "\(table) \($0.joined(separator: " "))"
      }
    }
    let indexes = try rows("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").map {
      $0[0].replacing("\"", with: "")
    }
    return Set(columns + indexes)
  }
}

extension StoreOptions {
  /// Both options of lightweight migration.
  static let migrating = StoreOptions().with { ($0.migratesAutomatically, $0.infersMapping) = (true, true) }

  static let unsynced = StoreOptions().with { $0.synchronous = .off }

  /// The options with a change.
  func with(_ change: (inout StoreOptions) -> Void) -> StoreOptions {
    var options = self
    change(&options)
    return options
  }
}

extension [EntityDescription] {
  /// The entities with a change of one.
  func changing(_ name: String, _ change: (inout EntityDescription) -> Void) -> Self {
    map { entity in
      var entity = entity
      if entity.name == name { change(&entity) }
      return entity
    }
  }

  func adding(_ attribute: AttributeDescription, to entity: String) -> Self {
    changing(entity) { $0.attributes.append(attribute) }
  }

  func adding(_ relationship: RelationshipDescription, to entity: String) -> Self {
    changing(entity) { $0.relationships.append(relationship) }
  }

  /// The entities with another description of an attribute, which may rename it.
  func redefining(_ attribute: AttributeDescription, of entity: String) -> Self {
    let name = attribute.renamingIdentifier ?? attribute.name
    return changing(entity) { $0.attributes = $0.attributes.map { $0.name == name ? attribute : $0 } }
  }

  /// The entities with another description of a relationship, which may rename it.
  func redefining(_ relationship: RelationshipDescription, of entity: String) -> Self {
    let name = relationship.renamingIdentifier ?? relationship.name
    return changing(entity) { $0.relationships = $0.relationships.map { $0.name == name ? relationship : $0 } }
  }

  /// The entities with another name of one, also as a destination.
  func renaming(_ name: String, to new: String) -> Self {
    map { entity in
      var entity = entity
      if entity.name == name { (entity.name, entity.renamingIdentifier) = (new, name) }
      for index in entity.relationships.indices where entity.relationships[index].destination == name {
        entity.relationships[index].destination = new
      }
      return entity
    }
  }

  /// The entities without some properties of one, and without indexes of them.
  func removing(_ names: String..., from entity: String) -> Self {
    changing(entity) {
      $0.indexes.removeAll { $0.contains(where: names.contains) }
      $0.attributes.removeAll { names.contains($0.name) }
      $0.relationships.removeAll { names.contains($0.name) }
    }
  }

  func indexing(_ entity: String, by indexes: [[String]]) -> Self { changing(entity) { $0.indexes = indexes } }
}

/// The objects of a store with their values, by entity and key: `Students/3`.
struct Graph: Equatable {
  var objects: [String: [String: String]] = [:]

  /// The objects of a school by their own numbers, which stay when an object gets another key.
  init(numbered context: ManagedObjectContext) throws {
    let keys = ["Students": "studentId", "Classes": "classId", "Courses": "courseId", "Scores": "scoreId"]
    try self.init(context) { "\($0.entity.name)/\(try $0.value(forKey: keys[$0.entity.name] ?? "") ?? "-")" }
  }

  init(_ context: ManagedObjectContext, name: (ManagedObject) throws -> String = Self.name) throws {
    for entity in context.persistentStoreCoordinator.managedObjectModel.entities {
      for object in try context.fetch(FetchRequest<ManagedObject>(entity.name)) {
        var values: [String: String] = [:]
        for attribute in entity.attributes { values[attribute.name] = "\(try object.value(of: attribute))" }
        for relationship in entity.relationships {
          values[relationship.name] =
            try object.destinations(relationship).map(name).sorted().joined(separator: " ")
        }
        try #require(objects.updateValue(values, forKey: name(object)) == nil)
      }
    }
  }

  static func name(_ object: ManagedObject) -> String {
    object.objectID.uriRepresentation.pathComponents.suffix(2).joined(separator: "/").replacing("/p", with: "/")
  }

  /// The destinations of a relationship of an entity's objects, in the order of their keys.
  func links(_ entity: String, _ key: String) -> [String] {
    objects.filter { $0.key.hasPrefix("\(entity)/") }.sorted { $0.key < $1.key }.map { $0.value[key] ?? "?" }
  }
}

/// A small school with deleted and changed objects, so that keys have gaps and versions differ.
enum School {
  static let entities = Students.entities

  static func fill(_ context: ManagedObjectContext, students count: Int = 12) throws {
    let classes = try (1...3).map { try context.schoolClass($0, "7\($0)") }
    let courses = try ["数学", "Music", "Физика", "History"].enumerated().map { try context.course($0 + 1, $1) }
    var students: [Student] = []
    for number in 1...count {
      let student = try context.student(
        "S\(number)", "Student \(number)", in: number % 5 == 0 ? nil : classes[number % 3],
        taking: [courses[number % 4], courses[(number + 1) % 4]])
      if number % 2 == 0 { student.studentDes = "number \(number)" }
      let score = try context.score(number, of: student, in: courses[number % 4])
      score.score = Double(number % 100) + 0.5
      students.append(student)
    }
    try context.save()
    for (number, student) in students.enumerated() where number % 4 == 0 { student.studentPwd = "changed" }
    try context.delete(students[count - 1])
    try context.save()
  }
}
