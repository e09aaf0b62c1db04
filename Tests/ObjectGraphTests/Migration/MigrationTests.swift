import Foundation
import ObjectGraph
import SampleModels
import Testing

/// Semantic 24: a store of an older model is opened by a newer one.
@Suite struct MigrationTests {
  @Test("24: 10,000 rows are kept, defaults filled, keys kept")
  func tenThousand() throws {
    let history = try StoreHistory()
    try history.open(Students.entities) { context in
      for number in 1...10_000 { _ = try context.student("S\(number)") }
      try context.save()
      for student in try context.fetch(FetchRequest<Student>()) where student.studentId.hasSuffix("7") {
        student.studentDes = "seven"
      }
      try context.save()
    }
    let v2 =
      Students.entities.changing("Students") {
        $0.attributes.append(AttributeDescription("grade", .integer16, optional: false, default: 1))
        $0.replace("studentDes", by: AttributeDescription("studentDes", .string, optional: false, default: "none"))
        $0.attributes.removeAll { $0.name == "studentPwd" }
      } + [EntityDescription("Absences", attributes: [AttributeDescription("day", .date)])]
    try history.open(v2, .migrating) { context in
      let students = try context.fetch(FetchRequest<ManagedObject>("Students"))
      #expect(students.count == 10_000)
      for (number, student) in students.enumerated() {
        let isSeven = (number + 1) % 10 == 7
        #expect(student.objectID.uriRepresentation.lastPathComponent == "p\(number + 1)")
        #expect(try student.value(forKey: "studentId") as? String == "S\(number + 1)")
        #expect(try student.value(forKey: "grade") as? Int16 == 1)
        #expect(try student.value(forKey: "studentDes") as? String == (isSeven ? "seven" : "none"))
      }
    }
    #expect(
      try history.rows("SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1")
        == [["1", "Absences", "0"], ["2", "Classes", "0"], ["3", "Courses", "0"], ["4", "Scores", "0"]]
        + [["5", "Students", "10000"]])
    #expect(try history.rows("SELECT DISTINCT Z_ENT FROM ZSTUDENTS") == [["5"]])
    #expect(try history.rows("SELECT Z_OPT, COUNT(*) FROM ZSTUDENTS GROUP BY 1") == [["1", "9000"], ["2", "1000"]])
    #expect(try history.rows("PRAGMA integrity_check") == [["ok"]])
  }

  @Test("24: each change that can be inferred, by itself", arguments: ModelChange.all)
  func change(_ change: ModelChange) throws {
    try checkMigration([change])
  }

  @Test("24: several changes at once", arguments: 0..<40)
  func combined(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var chosen: [Int] = []
    var places: Set<String> = []
    for index in ModelChange.all.indices.shuffled(using: &random) where chosen.count < 5 {
      guard places.isDisjoint(with: ModelChange.all[index].places) else { continue }
      places.formUnion(ModelChange.all[index].places)
      chosen.append(index)
    }
    // In order: entities are renamed after their properties are changed.
    try checkMigration(chosen.sorted().map { ModelChange.all[$0] })
  }

  /// Migrates a school and compares everything with what is to be: objects, tables, indexes, keys, versions.
  private func checkMigration(_ changes: [ModelChange]) throws {
    let history = try StoreHistory()
    var expected = try history.open(School.entities) { context in
      try School.fill(context)
      return try Graph(context)
    }
    let versions = try history.versions(of: School.entities)
    let identifier = try history.rows("SELECT Z_UUID FROM Z_METADATA")
    for change in changes { change.expect(&expected) }
    let entities = changes.reduce(School.entities) { $1.edit($0) }

    let migrated = try history.open(entities, .migrating) { try Graph($0) }
    #expect(migrated.objects.keys.sorted() == expected.objects.keys.sorted())
    for (name, values) in migrated.objects { #expect(values == expected.objects[name], "\(name)") }
    let fresh = try StoreHistory()
    try fresh.open(entities) { _ in }
    #expect(try history.schema() == fresh.schema())
    #expect(try history.rows("PRAGMA integrity_check") == [["ok"]])
    #expect(try history.rows("SELECT Z_UUID FROM Z_METADATA") == identifier)

    // Numbers, last keys and versions, entity by entity.
    for (index, entity) in entities.sorted(by: { $0.name < $1.name }).enumerated() {
      let former = versions[entity.renamingIdentifier ?? entity.name]
      let line = try history.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(index + 1)")
      #expect(line == [[entity.name, former?.last ?? "0"]])
      #expect(try history.versions(of: entity) == former?.rows ?? [])
      let numbers = try history.rows("SELECT DISTINCT Z_ENT FROM Z\(entity.name.uppercased())")
      #expect(numbers == (former == nil ? [] : [["\(index + 1)"]]))
    }

    // It is a store of the new model like any other.
    try history.open(entities) { context in
      #expect(!history.statements.contains { $0.contains("Z_MODELCACHE") })
      for entity in context.persistentStoreCoordinator.managedObjectModel.entities {
        let last = try #require(
          try history.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity.name)'").first?.first)
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
        #expect(object.objectID.uriRepresentation.lastPathComponent == "p\((Int(last) ?? 0) + 1)")
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

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
