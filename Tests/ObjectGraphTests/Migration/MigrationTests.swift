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
    let entities = changes.reduce(School.entities) { $1.edit($0) }
    let expected = try history.graph().migrated(from: School.entities, to: entities)
    let identifier = try history.open(School.entities) { $0.persistentStoreCoordinator.persistentStores[0].identifier }
    let versions = try history.versions(School.entities)

    let migrated = try history.graph(entities, .migrating)
    #expect(migrated.objects.keys.sorted() == expected.objects.keys.sorted())
    for (name, values) in migrated.objects { #expect(values == expected.objects[name], "\(name)") }
    // Some students were saved twice.
    #expect(versions["Students"]?.count == 12 && versions["Students"]?.contains { $0.hasSuffix(" v2") } == true)
    let after = try history.versions(entities)
    for entity in entities {
      #expect(after[entity.name] == versions[entity.renamingIdentifier ?? entity.name] ?? ["next 1"])
    }
    if type == .sqlite { try checkTables(history, entities, versions) }
    try checkUse(history, entities, identifier)
  }

  private func checkTables(
    _ history: StoreHistory, _ entities: [EntityDescription], _ former: [String: [String]]
  ) throws {
    let fresh = try StoreHistory()
    try fresh.open(entities) { _ in }
    #expect(try history.schema() == fresh.schema())
    #expect(try history.rows("PRAGMA integrity_check") == [["ok"]])
    for (index, entity) in entities.sorted(by: { $0.name < $1.name }).enumerated() {
      let number = "\(index + 1)"
      #expect(try history.rows("SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)") == [[entity.name]])
      let numbers = try history.rows("SELECT DISTINCT Z_ENT FROM Z\(entity.name.uppercased())")
      #expect(numbers == (former[entity.renamingIdentifier ?? entity.name] == nil ? [] : [[number]]))
    }
  }

  /// Uses the store like any other of the new model.
  private func checkUse(_ history: StoreHistory, _ entities: [EntityDescription], _ identifier: UUID) throws {
    try history.open(entities) { context in
      #expect(!history.statements.contains { $0.contains("Z_MODELCACHE") })
      #expect(context.persistentStoreCoordinator.persistentStores[0].identifier == identifier)
      for entity in context.persistentStoreCoordinator.managedObjectModel.entities {
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
      }
    }
  }
}

extension StoreHistory {
  /// The key and version of each object, and the next key, by entity.
  fileprivate func versions(_ entities: [EntityDescription]) throws -> [String: [String]] {
    try open(entities) { context in
      let coordinator = context.persistentStoreCoordinator
      let dump = try coordinator.persistentStores[0].dump(coordinator.managedObjectModel)
      let lines = dump.map { $0.split(separator: " ", maxSplits: 3) }
      return Dictionary(grouping: lines) { String($0[0]) }.mapValues { $0.map { $0[1...2].joined(separator: " ") } }
    }
  }
}
