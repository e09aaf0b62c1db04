import Foundation
import ObjectGraph
import Testing

/// Semantic 24: renames from version to version, and relationships that change their kind.
@Suite struct MigrationRelationshipTests {
  private func person(_ relationships: [RelationshipDescription]) -> EntityDescription {
    EntityDescription("Person", attributes: [AttributeDescription("name", .string)], relationships: relationships)
  }

  private func locker(_ relationships: [RelationshipDescription]) -> EntityDescription {
    EntityDescription("Locker", attributes: [AttributeDescription("place", .integer16)], relationships: relationships)
  }

  /// Makes three persons and two lockers, and gives lockers to persons.
  private func fill(_ history: StoreHistory, _ entities: [EntityDescription], _ pairs: [(Int, Int)]) throws {
    try history.edit(entities) { context in
      let persons = try (1...3).map { try context.insert("Person", ["name": "P\($0)"]) }
      let lockers = try (0..<2).map { _ in try context.insert("Locker") }
      for (person, locker) in pairs { try persons[person - 1].setValue(lockers[locker - 1], forKey: "locker") }
    }
  }

  /// A chain of models, and the destinations that the relationships of persons and lockers have under each.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var first: (person: RelationshipDescription, locker: RelationshipDescription?)
    var pairs = [(1, 2), (2, 2), (3, 1)]
    /// The relationships of both ends after each migration.
    let next: [(RelationshipDescription, RelationshipDescription)]
    var owned = ["Locker/2", "Locker/2", "Locker/1"]
    var owners = ["Person/3", "Person/1 Person/2"]

    /// Three persons, of whom the second has no locker.
    static func oneToOne(_ name: String, _ next: [(RelationshipDescription, RelationshipDescription)]) -> Change {
      Change(
        testDescription: name, first: (locker, RelationshipDescription("owner", to: "Person", inverse: "locker")),
        pairs: [(1, 2), (3, 1)], next: next, owned: ["Locker/2", "", "Locker/1"], owners: ["Person/3", "Person/1"])
    }

    static let locker = RelationshipDescription("locker", to: "Locker", inverse: "owner")
    static let alone = RelationshipDescription("locker", to: "Locker")
    static let owner = RelationshipDescription("owner", toMany: "Person", inverse: "locker")
    static let lockers = RelationshipDescription("locker", toMany: "Locker", inverse: "owner")

    static let all = [
      oneToOne("one-to-one becomes one-to-many, and then many-to-many", [(locker, owner), (lockers, owner)]),
      oneToOne(
        "one-to-one becomes many-to-many at once, with new names",
        [
          (
            RelationshipDescription("lockers", toMany: "Locker", inverse: "owners", renamedFrom: "locker"),
            RelationshipDescription("owners", toMany: "Person", inverse: "lockers", renamedFrom: "owner")
          )
        ]),
      Change(testDescription: "a to-one relationship gets an inverse", first: (alone, nil), next: [(locker, owner)]),
      Change(
        testDescription: "a relationship gets an inverse and becomes to-many", first: (alone, nil),
        next: [(lockers, owner)]),
    ]
  }

  @Test("24: relationships change their kind and keep their objects", arguments: Change.all, StoreHistory.types)
  func kinds(_ change: Change, _ type: StoreType) throws {
    let history = try StoreHistory(type)
    try fill(history, [person([change.first.person]), locker(change.first.locker.map { [$0] } ?? [])], change.pairs)
    for (own, inverse) in change.next {
      let graph = try history.graph([person([own]), locker([inverse])], .migrating)
      #expect(graph.links("Person", own.name) == change.owned)
      #expect(graph.links("Locker", inverse.name) == change.owners)
    }
    if type == .sqlite, change.next.count == 2 {
      #expect(try history.rows("SELECT * FROM Z_1OWNER ORDER BY 1") == [["1", "3"], ["2", "1"]])
    }
  }

  @Test("24: a new to-one inverse is refused, as it can hold one object only", arguments: StoreHistory.types)
  func newToOneInverse(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    try fill(history, [person([Change.alone]), locker([])], [(1, 2), (2, 2), (3, 1)])
    let v2 = [
      person([Change.locker]), locker([RelationshipDescription("owner", to: "Person", inverse: "locker")]),
    ]
    let error = try #require(throws: ObjectGraphError.self) { try history.open(v2, .migrating) { _ in } }
    #expect("\(error)".contains("Locker.owner") && "\(error)".contains("Person.locker"))
  }

  @Test(
    "24: a relationship that is renamed at its inverse's end only, and an entity that it leads to",
    arguments: StoreHistory.types)
  func renamedByInverse(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    try fill(history, [person([Change.locker]), locker([Change.owner])], [(1, 2), (2, 2), (3, 1)])
    var box = locker([RelationshipDescription("owner", toMany: "Person", inverse: "box")])
    (box.name, box.renamingIdentifier) = ("Box", "Locker")
    let graph = try history.graph(
      [person([RelationshipDescription("box", to: "Box", inverse: "owner")]), box], .migrating)
    #expect(graph.links("Person", "box") == ["Box/2", "Box/2", "Box/1"])
    #expect(graph.links("Box", "owner") == ["Person/3", "Person/1 Person/2"])
  }

  @Test("24: the two ends of a many-to-many relationship with itself swap their names", arguments: StoreHistory.types)
  func swappedEnds(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    let v1 = [
      EntityDescription(
        "Node",
        relationships: [
          RelationshipDescription("next", toMany: "Node", inverse: "former"),
          RelationshipDescription("former", toMany: "Node", inverse: "next"),
        ])
    ]
    try history.edit(v1) { context in
      let nodes = try (0..<3).map { _ in try context.insert("Node") }
      try nodes[0].setValue(Set([nodes[1], nodes[2]]), forKey: "next")
      try nodes[1].setValue(Set([nodes[1]]), forKey: "next")
    }
    let v2 = [
      EntityDescription(
        "Node", attributes: [AttributeDescription("note", .string)],
        relationships: [
          RelationshipDescription("next", toMany: "Node", inverse: "former", renamedFrom: "former"),
          RelationshipDescription("former", toMany: "Node", inverse: "next", renamedFrom: "next"),
        ])
    ]
    let graph = try history.graph(v2, .migrating)
    #expect(graph.links("Node", "former") == ["Node/2 Node/3", "Node/2", ""])
    #expect(graph.links("Node", "next") == ["", "Node/1 Node/2", "Node/1"])
  }

  @Test(
    "24: an attribute is renamed twice, with either identifier, step by step or at once", arguments: StoreHistory.types)
  func renamedTwice(_ type: StoreType) throws {
    func model(_ attributes: AttributeDescription...) -> [EntityDescription] {
      [EntityDescription("Person", attributes: attributes)]
    }
    let v1 = model(AttributeDescription("name", .string))
    let v2 = model(AttributeDescription("title", .string, renamedFrom: "name"))
    // The first name stays the identifier, as in Core Data; the last name is one, too.
    let canonical = model(AttributeDescription("heading", .string, renamedFrom: "name"))
    let last = model(AttributeDescription("heading", .string, renamedFrom: "title"))
    // The name is free again, and taken by something new.
    let reused = model(
      AttributeDescription("heading", .string, renamedFrom: "name"), AttributeDescription("name", .string))
    let back = model(AttributeDescription("name", .string))
    let versions = [
      [v1, canonical], [v1, v2, canonical], [v1, v2, last], [v1, reused], [v1, v2, reused], [v1, v2, back],
      [v1, reused, reused.changing("Person") { $0.indexes = [["heading"]] }],
    ]
    for models in versions {
      let history = try StoreHistory(type)
      try history.edit(v1) { try $0.insert("Person", ["name": "Ada"]) }
      for model in models.dropFirst() { try history.open(model, .migrating) { _ in } }
      let end = try #require(models.last)
      try history.open(end) { context in
        let person = try #require(try context.fetch(FetchRequest<ManagedObject>("Person")).first)
        let key = try #require(end[0].attributes.first).name
        #expect(try person.value(forKey: key) as? String == "Ada")
        if end[0].attributes.count == 2 { #expect(try person.value(forKey: "name") == nil) }
      }
    }
  }

  @Test("24: attributes are added and renamed without touching a row")
  func schemaOnly() throws {
    let history = try StoreHistory.school()
    let v2 = School.entities
      .adding(AttributeDescription("grade", .integer16, optional: false, default: 1), to: "Students")
      .adding(AttributeDescription("joined", .date), to: "Students")
      .redefining(AttributeDescription("remark", .string, renamedFrom: "studentDes"), of: "Students")
    try history.open(v2, .migrating) { _ in
      let changes = history.statements.filter { $0.contains("ZSTUDENTS") && !$0.hasPrefix("SELECT") }
      #expect(
        changes == [
          "ALTER TABLE ZSTUDENTS RENAME COLUMN ZSTUDENTDES TO ZREMARK",
          "ALTER TABLE ZSTUDENTS ADD COLUMN ZGRADE INTEGER DEFAULT 1",
          "ALTER TABLE ZSTUDENTS ADD COLUMN ZJOINED TIMESTAMP",
        ])
    }
    #expect(try history.rows("SELECT DISTINCT ZGRADE, ZJOINED FROM ZSTUDENTS") == [["1", "NULL"]])
  }

  @Test("24: an index is added by a model that declares it, and nothing else is touched")
  func indexOnly() throws {
    let history = try StoreHistory.school()
    let v2 = School.entities.changing("Students") { $0.indexes.append(["studentName"]) }
    try history.open(v2, .migrating) { context in
      let changes = history.statements.filter {
        !$0.hasPrefix("SELECT") && !$0.contains("Z_METADATA") && !$0.contains("Z_MODELCACHE")
          && !$0.contains("Z_PRIMARYKEY") && !$0.hasPrefix("PRAGMA")
      }
      #expect(
        changes == ["BEGIN IMMEDIATE", "CREATE INDEX Z_Students_studentName ON ZSTUDENTS (ZSTUDENTNAME)", "COMMIT"])
    }
  }
}
