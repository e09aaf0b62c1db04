import ObjectGraph
import Testing

/// Semantic 24: names in a database that are made of other names, and stores that somebody migrates while they are open.
@Suite struct MigratedMeanwhileTests {
  private func entity(
    _ name: String, _ attributes: [String], _ relationships: [RelationshipDescription] = [], unique: [[String]] = [],
    indexes: [[String]] = []
  ) -> EntityDescription {
    EntityDescription(
      name, attributes: attributes.map { AttributeDescription($0, .string) }, relationships: relationships,
      uniquenessConstraints: unique, indexes: indexes)
  }

  @Test("24: indexes whose names are made of the same parts as others, or as a table's, are told from each other")
  func indexNames() throws {
    let models: [[EntityDescription]] = [
      [entity("E", ["a", "b", "a_b"], indexes: [["a_b"], ["a", "b"]])],
      [entity("A", ["b_c"], indexes: [["b_c"]]), entity("A_b", ["c"], indexes: [["c"]])],
      [entity("A", ["UNIQUE_x", "x"], unique: [["x"], ["x"]], indexes: [["UNIQUE_x"], ["x"], ["x"]])],
      [entity("A", [], [RelationshipDescription("b", to: "A")]), entity("A_ZB_INDEX", ["x"])],
      [entity("NEW", ["ZX"], indexes: [["ZX"]]), entity("X", ["y"])],
    ]
    for model in models {
      let history = try StoreHistory()
      try history.edit(model) { context in
        for description in model {
          let object = try context.insert(description.name)
          if description.attributes.contains(where: { $0.name == "x" }) { try object.setValue("v", forKey: "x") }
        }
      }
      let before = try history.graph(model)
      // Each table is copied, and each index made anew.
      let changed = model.map(\.name).reduce(model) { entities, name in
        entities.adding(AttributeDescription("more", .string), to: name).renaming(name, to: "\(name)2")
      }
      let after = try history.graph(changed, .migrating)
      #expect(after.objects.count == before.objects.count)
      let columns = try history.rows(
        """
        SELECT group_concat(c.name) FROM sqlite_master i, pragma_index_info(i.name) c
        WHERE i.type = 'index' AND i.sql IS NOT NULL GROUP BY i.name ORDER BY 1
        """)
      let wanted = changed.flatMap { entity -> [String] in
        let keys: [[String]] = entity.indexes + entity.uniquenessConstraints + entity.relationships.map { [$0.name] }
        return keys.map { key in key.map { "Z\($0.uppercased())" }.joined(separator: ",") }
      }
      #expect(columns.map { $0[0] } == wanted.sorted())
    }
  }

  /// Two attributes swap their names, and a new entity changes the numbers of the others.
  private var versions: (old: [EntityDescription], new: [EntityDescription]) {
    let swapped = EntityDescription(
      "E",
      attributes: [
        AttributeDescription("a", .string, renamedFrom: "b"), AttributeDescription("b", .string, renamedFrom: "a"),
        AttributeDescription("c", .string),
      ])
    return ([entity("E", ["a", "b"]), entity("F", ["a"])], [entity("A", []), swapped, entity("F", ["a"])])
  }

  @Test(
    "24: a coordinator whose store another one has migrated can read and write it no more",
    arguments: StoreHistory.types)
  func migratedMeanwhile(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    try history.edit(versions.old) { try $0.insert("E", ["a": "A", "b": "B"]) }
    let context = try Stack.open(type, at: history.url, model: ManagedObjectModel(versions.old))
    let object = try #require(try context.fetch(FetchRequest<ManagedObject>("E")).first)
    try object.setValue("A2", forKey: "a")
    try context.save()
    try object.setValue("A3", forKey: "a")
    try history.open(versions.new, .migrating) { _ in }
    func requireRefusal(_ body: () throws -> Void) throws {
      let error = try #require(throws: ObjectGraphError.self, performing: body)
      switch error {
      case .incompatibleModel(file: "store.db", entities: ["A", "E"]): #expect(type == .sqlite)
      case .store(file: "store.db", _): #expect(type != .sqlite)
      default: Issue.record("\(error)")
      }
    }
    try requireRefusal { try context.save() }
    context.rollback()
    _ = try context.insert("F")
    try requireRefusal { try context.save() }
    context.rollback()
    if type == .sqlite {
      // A new request, and one that was made before.
      try requireRefusal { _ = try context.count(for: FetchRequest<ManagedObject>("F")) }
      try requireRefusal { _ = try context.fetch(FetchRequest<ManagedObject>("E")) }
    }
    let graph = try history.graph(versions.new)
    #expect(graph.objects == ["E/1": ["a": "'B'", "b": "'A2'", "c": "NULL"]])
  }

  @Test("24: other changes of tables by another connection disturb nobody")
  func vacuumedMeanwhile() throws {
    let history = try StoreHistory()
    try history.edit(versions.old) { context in
      for _ in 1...3 { try context.insert("E").setValue("A", forKey: "a") }
    }
    let context = try Stack.open(.sqlite, at: history.url, model: ManagedObjectModel(versions.old))
    let objects = try context.fetch(FetchRequest<ManagedObject>("E"))
    try objects[0].setValue("A0", forKey: "a")
    try context.save()
    for round in 1...3 {
      try history.open(versions.old, StoreOptions().with { $0.vacuums = true }) { _ in }
      try history.rows("CREATE INDEX somebody_\(round) ON ZE (ZA)")
      try objects[0].setValue("A\(round)", forKey: "a")
      try context.save()
      #expect(try context.fetch(FetchRequest<ManagedObject>("E", where: Property("a") == "A\(round)")) == [objects[0]])
      try context.insert("E").setValue("new", forKey: "a")
      try context.save()
    }
    #expect(try history.rows("SELECT COUNT(*), MAX(Z_OPT) FROM ZE") == [["6", "5"]])
  }
}
