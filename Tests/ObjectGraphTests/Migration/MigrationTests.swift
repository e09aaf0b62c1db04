import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 24: a store of an older model is opened by a newer one.
@Suite struct MigrationTests {
  @Test("24: each change that can be inferred, by itself", arguments: ModelChange.all, StoreHistory.types)
  func change(_ change: ModelChange, _ type: StoreType) throws { try checkMigration([change], type) }

  @Test("24: several changes at once", arguments: 0..<repetitions(12), StoreHistory.types)
  func combined(_ seed: Int, _ type: StoreType) throws {
    var random = SplitMix64(seed: UInt64(seed))
    var chosen: [Int] = []
    var targets: Set<String> = []
    for index in ModelChange.all.indices.shuffled(using: &random) where chosen.count < 5 {
      guard targets.isDisjoint(with: ModelChange.all[index].targets) else { continue }
      targets.formUnion(ModelChange.all[index].targets)
      chosen.append(index)
    }
    // In order: entities are renamed after their properties are changed.
    try checkMigration(chosen.sorted().map { ModelChange.all[$0] }, type)
  }

  /// Migrates a school and compares everything with the expected graph.
  private func checkMigration(_ changes: [ModelChange], _ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    var expected = try history.graph()
    let identifier = try history.open(School.entities) { $0.persistentStoreCoordinator.persistentStores[0].identifier }
    let versions = try type == .sqlite ? history.versions(of: School.entities) : [:]
    let inFile = try type == .sqlite ? [] : versionsInFile(history)
    for change in changes { change.expect(&expected) }
    let entities = changes.reduce(School.entities) { $1.edit($0) }

    let migrated = try history.graph(entities, .migrating)
    #expect(migrated.objects.keys.sorted() == expected.objects.keys.sorted())
    for (name, values) in migrated.objects { #expect(values == expected.objects[name], "\(name)") }
    if type == .sqlite {
      try checkTables(history, entities, versions)
    } else {
      #expect(inFile.count == 14 && inFile.contains { $0.hasSuffix(" 2") })
      #expect(try versionsInFile(history).sorted() == inFile.sorted())
    }
    try checkUse(history, entities, changes, identifier)
  }

  /// Compares tables, indexes, numbers, last keys and versions.
  private func checkTables(
    _ history: StoreHistory, _ entities: [EntityDescription], _ versions: [String: (last: String?, rows: [[String]])]
  ) throws {
    let fresh = try StoreHistory()
    try fresh.open(entities) { _ in }
    #expect(try history.schema() == fresh.schema())
    #expect(try history.rows("PRAGMA integrity_check") == [["ok"]])
    for (index, entity) in entities.sorted(by: { $0.name < $1.name }).enumerated() {
      let former = versions[entity.renamingIdentifier ?? entity.name]
      let line = try history.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(index + 1)")
      #expect(line == [[entity.name, former?.last ?? "0"]])
      #expect(try history.versions(of: entity) == former?.rows ?? [])
      let numbers = try history.rows("SELECT DISTINCT Z_ENT FROM Z\(entity.name.uppercased())")
      #expect(numbers == (former == nil ? [] : [["\(index + 1)"]]))
    }
  }

  /// The keys and versions of the students and classes, which no change renames or removes, as a file has them.
  private func versionsInFile(_ history: StoreHistory) throws -> [String] {
    struct File: Decodable {
      struct Table: Decodable {
        let entity: String
        let keys: [Int64]
        let versions: [Int64]
      }
      let tables: [Table]
    }
    let file = try PropertyListDecoder().decode(File.self, from: Data(contentsOf: history.url))
    return file.tables.filter { ["Students", "Classes"].contains($0.entity) }.flatMap { table in
      zip(table.keys, table.versions).map { "\(table.entity) \($0) \($1)" }
    }
  }

  /// Uses the store like any other of the new model.
  private func checkUse(
    _ history: StoreHistory, _ entities: [EntityDescription], _ changes: [ModelChange], _ identifier: UUID
  ) throws {
    let lastKeys = ["Classes": 3, "Courses": 4, "Scores": 12, "Students": 12]
    try history.open(entities) { context in
      #expect(!history.statements.contains { $0.contains("Z_MODELCACHE") })
      #expect(context.persistentStoreCoordinator.persistentStores[0].identifier == identifier)
      for entity in context.persistentStoreCoordinator.managedObjectModel.entities {
        let last = lastKeys[entity.description.renamingIdentifier ?? entity.name] ?? 0
        let object = try context.insert(entity.name)
        for attribute in entity.attributes where !attribute.isOptional && attribute.defaultValue.isNull {
          let value: Value =
            switch attribute.type {
            case .string: "new"
            case .integer64: 99
            default: 9.5
            }
          try object.set(attribute, to: value)
        }
        try context.save()
        #expect(object.objectID.uriRepresentation.lastPathComponent == "p\(last + 1)")
      }
    }
  }
}

extension StoreHistory {
  /// Keys and versions of an entity's objects.
  fileprivate func versions(of entity: EntityDescription) throws -> [[String]] {
    try rows("SELECT Z_PK, Z_OPT FROM Z\(entity.name.uppercased()) ORDER BY 1")
  }

  fileprivate func versions(of entities: [EntityDescription]) throws -> [String: (last: String?, rows: [[String]])] {
    try Dictionary(
      uniqueKeysWithValues: entities.map { entity in
        let last = try rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity.name)'").first?.first
        return (entity.name, (last, try versions(of: entity)))
      })
  }
}
