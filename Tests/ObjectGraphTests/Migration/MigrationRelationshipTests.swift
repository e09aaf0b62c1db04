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

  /// Makes three persons and two lockers, and says which person has which.
  private func fill(_ history: StoreHistory, _ entities: [EntityDescription], _ pairs: [(Int, Int)]) throws {
    try history.open(entities) { context in
      let persons = try (0..<3).map { number in
        let person = try context.insert("Person")
        try person.setValue("P\(number + 1)", forKey: "name")
        return person
      }
      let lockers = try (0..<2).map { _ in try context.insert("Locker") }
      for (person, locker) in pairs { try persons[person - 1].setValue(lockers[locker - 1], forKey: "locker") }
      try context.save()
    }
  }

  @Test("24: one-to-one becomes one-to-many, and then many-to-many", arguments: StoreHistory.types)
  func oneToOne(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    let one = RelationshipDescription("locker", to: "Locker", inverse: "owner")
    let owner = RelationshipDescription("owner", to: "Person", inverse: "locker")
    try fill(history, [person([one]), locker([owner])], [(1, 2), (3, 1)])
    let owners = RelationshipDescription("owner", toMany: "Person", inverse: "locker")
    let graph = try history.open([person([one]), locker([owners])], .migrating) { try Graph($0) }
    #expect(graph.links("Person", "locker") == ["Locker/2", "", "Locker/1"])
    #expect(graph.links("Locker", "owner") == ["Person/3", "Person/1"])
    let many = RelationshipDescription("locker", toMany: "Locker", inverse: "owner")
    let second = try history.open([person([many]), locker([owners])], .migrating) { try Graph($0) }
    #expect(second.links("Person", "locker") == ["Locker/2", "", "Locker/1"])
    #expect(second.links("Locker", "owner") == ["Person/3", "Person/1"])
    if type == .sqlite { #expect(try history.rows("SELECT * FROM Z_1OWNER ORDER BY 1") == [["1", "3"], ["2", "1"]]) }
  }

  @Test("24: one-to-one becomes many-to-many at once", arguments: StoreHistory.types)
  func oneToOneToManyToMany(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    let one = RelationshipDescription("locker", to: "Locker", inverse: "owner")
    try fill(
      history, [person([one]), locker([RelationshipDescription("owner", to: "Person", inverse: "locker")])],
      [(1, 2), (3, 1)])
    let v2 = [
      person([RelationshipDescription("lockers", toMany: "Locker", inverse: "owners", renamedFrom: "locker")]),
      locker([RelationshipDescription("owners", toMany: "Person", inverse: "lockers", renamedFrom: "owner")]),
    ]
    let graph = try history.open(v2, .migrating) { try Graph($0) }
    #expect(graph.links("Person", "lockers") == ["Locker/2", "", "Locker/1"])
    #expect(graph.links("Locker", "owners") == ["Person/3", "Person/1"])
  }

  @Test("24: a relationship without an inverse gets one", arguments: StoreHistory.types)
  func newInverse(_ type: StoreType) throws {
    let one = RelationshipDescription("locker", to: "Locker")
    let v1 = [person([one]), locker([])]
    let inverse = RelationshipDescription("owners", toMany: "Person", inverse: "locker")
    let toOne = [person([RelationshipDescription("locker", to: "Locker", inverse: "owners")]), locker([inverse])]
    let toMany = [person([RelationshipDescription("locker", toMany: "Locker", inverse: "owners")]), locker([inverse])]
    for v2 in [toOne, toMany] {
      let history = try StoreHistory(type)
      try fill(history, v1, [(1, 2), (2, 2), (3, 1)])
      let graph = try history.open(v2, .migrating) { try Graph($0) }
      #expect(graph.links("Person", "locker") == ["Locker/2", "Locker/2", "Locker/1"])
      #expect(graph.links("Locker", "owners") == ["Person/3", "Person/1 Person/2"])
    }
    // A to-one inverse could hold but one of those who lead to it.
    let history = try StoreHistory(type)
    try fill(history, v1, [(1, 2), (2, 2), (3, 1)])
    let v2 = [
      person([RelationshipDescription("locker", to: "Locker", inverse: "owner")]),
      locker([RelationshipDescription("owner", to: "Person", inverse: "locker")]),
    ]
    let error = try #require(throws: ObjectGraphError.self) { try history.open(v2, .migrating) { _ in } }
    #expect("\(error)".contains("Locker.owner"))
    #expect("\(error)".contains("Person.locker"))
  }

  @Test(
    "24: a relationship that is renamed at its inverse's end only, and an entity that it leads to",
    arguments: StoreHistory.types)
  func renamedByInverse(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    let v1 = [
      person([RelationshipDescription("locker", to: "Locker", inverse: "owners")]),
      locker([RelationshipDescription("owners", toMany: "Person", inverse: "locker")]),
    ]
    try fill(history, v1, [(1, 2), (2, 2), (3, 1)])
    var box = locker([RelationshipDescription("owners", toMany: "Person", inverse: "box")])
    (box.name, box.renamingIdentifier) = ("Box", "Locker")
    let graph = try history.open(
      [person([RelationshipDescription("box", to: "Box", inverse: "owners")]), box], .migrating
    ) { try Graph($0) }
    #expect(graph.links("Person", "box") == ["Box/2", "Box/2", "Box/1"])
    #expect(graph.links("Box", "owners") == ["Person/3", "Person/1 Person/2"])
  }

  @Test("24: the two ends of a many-to-many relationship with itself swap their names", arguments: StoreHistory.types)
  func swappedEnds(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    func model(_ first: RelationshipDescription, _ second: RelationshipDescription, _ more: [AttributeDescription] = [])
      -> [EntityDescription]
    {
      [EntityDescription("Node", attributes: more, relationships: [first, second])]
    }
    let v1 = model(
      RelationshipDescription("next", toMany: "Node", inverse: "former"),
      RelationshipDescription("former", toMany: "Node", inverse: "next"))
    try history.open(v1) { context in
      let nodes = try (0..<3).map { _ in try context.insert("Node") }
      try nodes[0].setValue(Set([nodes[1], nodes[2]]), forKey: "next")
      try nodes[1].setValue(Set([nodes[1]]), forKey: "next")
      try context.save()
    }
    let v2 = model(
      RelationshipDescription("next", toMany: "Node", inverse: "former", renamedFrom: "former"),
      RelationshipDescription("former", toMany: "Node", inverse: "next", renamedFrom: "next"),
      [AttributeDescription("note", .string)])
    let graph = try history.open(v2, .migrating) { try Graph($0) }
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
    // What the name was at first goes on being the identifier, as Core Data has it; the last name does, too.
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
      try history.open(v1) { context in
        try context.insert("Person").setValue("Ada", forKey: "name")
        try context.save()
      }
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

  @Test("24: two entities swap their names", arguments: StoreHistory.types)
  func swappedEntities(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    func model(_ first: EntityDescription, _ second: EntityDescription) -> [EntityDescription] { [first, second] }
    let v1 = model(
      EntityDescription("A", attributes: [AttributeDescription("x", .string)], indexes: [["x"]]),
      EntityDescription("B", attributes: [AttributeDescription("y", .integer16)]))
    try history.open(v1) { context in
      try context.insert("A").setValue("text", forKey: "x")
      try context.insert("B").setValue(5, forKey: "y")
      try context.save()
    }
    let v2 = model(
      EntityDescription("B", attributes: [AttributeDescription("x", .string)], indexes: [["x"]], renamedFrom: "A"),
      EntityDescription("A", attributes: [AttributeDescription("y", .integer16)], renamedFrom: "B"))
    let graph = try history.open(v2, .migrating) { try Graph($0) }
    #expect(graph.objects == ["A/1": ["y": "5"], "B/1": ["x": "'text'"]])
    guard type == .sqlite else { return }
    #expect(try history.rows("SELECT Z_ENT FROM ZA") == [["1"]])
    #expect(try history.rows("SELECT Z_ENT FROM ZB") == [["2"]])
  }

  @Test("24: attributes are added and renamed without touching a row")
  func schemaOnly() throws {
    let history = try StoreHistory()
    try history.open(School.entities) { try School.fill($0) }
    let v2 = School.entities.changing("Students") {
      $0.attributes.append(AttributeDescription("grade", .integer16, optional: false, default: 1))
      $0.attributes.append(AttributeDescription("joined", .date))
      $0.replace("studentDes", by: AttributeDescription("remark", .string, renamedFrom: "studentDes"))
    }
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
    let history = try StoreHistory()
    try history.open(School.entities) { try School.fill($0) }
    let v2 = School.entities.changing("Students") { $0.indexes.append(["studentName"]) }
    try history.open(v2, .migrating) { context in
      let changes = history.statements.filter {
        !$0.hasPrefix("SELECT") && !$0.contains("Z_METADATA") && !$0.contains("Z_MODELCACHE")
          && !$0.contains("Z_PRIMARYKEY") && !$0.hasPrefix("PRAGMA")
      }
      #expect(
        changes == ["BEGIN IMMEDIATE", "CREATE INDEX Z_Students_studentName ON ZSTUDENTS (ZSTUDENTNAME)", "COMMIT"])
      let plan = try history.rows("EXPLAIN QUERY PLAN SELECT Z_PK FROM ZSTUDENTS WHERE ZSTUDENTNAME = 'x'")
      #expect(plan.contains { $0.last?.contains("Z_Students_studentName") ?? false })
    }
  }
}
