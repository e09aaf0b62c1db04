import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Files that are no store, damaged, of another model, or protected: typed errors that name the file, which is left as
/// it was.
@Suite struct StoreErrorTests {
  private func filled(_ type: StoreType, students: Int = 12) throws -> StoreHistory {
    let history = try StoreHistory(type)
    try history.open(School.entities) { try School.fill($0, students: students) }
    return history
  }

  /// Opens and reads a store that cannot be, and checks that nothing is written.
  @discardableResult
  private func refused(
    _ history: StoreHistory, _ options: StoreOptions = StoreOptions(),
    by entities: [EntityDescription] = School.entities, _ comment: Comment? = nil
  ) throws -> ObjectGraphError {
    let before = try history.bytes()
    let error = try #require(throws: ObjectGraphError.self, comment) {
      try history.open(entities, options) { _ = try Graph($0) }
    }
    #expect("\(error)".contains("store.db"), comment)
    #expect(try history.bytes() == before, comment)
    return error
  }

  // MARK: - Other files

  @Test("What is not a store is refused by every type", arguments: StoreHistory.types)
  func others(_ type: StoreType) throws {
    let contents: [(String, Data)] =
      try [
        ("a text", Data("Dear diary,\nnothing happened today.\n".utf8)),
        ("one byte", Data([0])),
        ("zeros", Data(count: 5_000)),
        ("noise", Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })),
        ("XML of something else", Data("<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict/></plist>\n".utf8)),
        ("a database of something else", database()),
      ]
      + StoreHistory.types.filter { $0 != type }.map { other in
        ("a store of type \(other)", try main(filled(other)))
      }
    for (what, bytes) in contents {
      let history = try StoreHistory(type)
      try bytes.write(to: history.url)
      for options in [StoreOptions(), .migrating] {
        guard case .damaged(file: "store.db", _) = try refused(history, options, "\(what)") else {
          Issue.record("\(what)")
          continue
        }
      }
    }
  }

  /// A database that is none of ours.
  private func database() throws -> Data {
    let history = try StoreHistory()
    try Data().write(to: history.url)
    _ = try history.rows("CREATE TABLE birds (name TEXT)")
    return try main(history)
  }

  private func main(_ history: StoreHistory) throws -> Data { try Data(contentsOf: history.url) }

  @Test("What is no file is refused by every type", arguments: StoreHistory.types)
  func noFiles(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    func error(at url: URL, _ options: StoreOptions = StoreOptions()) throws -> ObjectGraphError {
      try #require(throws: ObjectGraphError.self) {
        let coordinator = PersistentStoreCoordinator(try Students.model())
        try coordinator.addPersistentStore(type, at: url, options: options)
      }
    }
    try FileManager.default.createDirectory(at: history.url, withIntermediateDirectories: false)
    let attempts = [
      try error(at: history.url),
      try error(at: history.directory.appendingPathComponent("nowhere/store.db")),
      try error(at: history.directory.appendingPathComponent("other/../missing/store.db")),
      try error(at: try #require(URL(string: "https://example.com/store.db"))),
    ]
    for error in attempts {
      guard case .cannotOpen(let file, _) = error else {
        Issue.record("\(error)")
        continue
      }
      #expect(file.hasSuffix("store.db"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: history.directory.path) == ["store.db"])
    let nothing = try #require(throws: ObjectGraphError.self) {
      try PersistentStoreCoordinator(Students.model()).addPersistentStore(type)
    }
    #expect("\(nothing)".contains("needs a file"))
  }

  // MARK: - Other models

  @Test("A store of another model is refused with the entities that differ", arguments: StoreHistory.types)
  func otherModel(_ type: StoreType) throws {
    let history = try filled(type)
    let models: [([EntityDescription], [String])] = [
      (School.entities.changing("Students") { $0.attributes.removeLast() }, ["Students"]),
      (School.entities.changing("Scores") { $0.uniquenessConstraints = [] }, ["Scores"]),
      (School.entities + [EntityDescription("Absences")], ["Absences"]),
      (People.entities, ["Classes", "Courses", "Scores", "Students"] + People.entities.map(\.name)),
    ]
    for (model, names) in models {
      guard case .incompatibleModel(file: "store.db", let entities) = try refused(history, by: model) else {
        Issue.record("\(names)")
        continue
      }
      #expect(entities == names.sorted())
    }
    // Neither the order of declaration nor what does not decide how objects are kept makes a model another one.
    let same = School.entities.reversed().map { entity in
      var entity = entity
      entity.attributes.reverse()
      entity.relationships.reverse()
      return entity
    }
    let graph = try history.open(School.entities) { try Graph($0) }
    #expect(try history.open(same) { try Graph($0) } == graph)
  }

  // MARK: - Protected files

  @Test("A file in a directory that is protected by the system", arguments: StoreHistory.types.indices)
  func protected(_ number: Int) async throws {
    let history = try StoreHistory(StoreHistory.types[number])
    try history.open(School.entities) { try School.fill($0) }
    let bytes = try history.bytes()
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: history.url.path)
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: history.directory.path)
    defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: history.directory.path) }
    await #expect(processExitsWith: .success) { [path = history.url.path as String, number = number as Int] in
      // The superuser may write everywhere.
      if geteuid() == 0 { try #require(setgid(65_534) == 0 && setuid(65_534) == 0) }
      let type = StoreHistory.types[number]
      var hasRead = false
      let error = try #require(throws: ObjectGraphError.self) {
        let coordinator = PersistentStoreCoordinator(try Students.model())
        try coordinator.addPersistentStore(type, at: URL(fileURLWithPath: path))
        let context = ManagedObjectContext(coordinator, .confinement)
        #expect(try context.count(for: FetchRequest<Student>()) == 11)
        hasRead = true
        _ = try context.student("S99")
        defer { #expect(context.hasChanges) }
        try context.save()
      }
      guard case .readOnly(file: "store.db", _) = error else {
        Issue.record("\(error)")
        return
      }
      // A database is not opened that cannot be written.
      #expect(hasRead == (type != .sqlite), "\(error)")
    }
    #expect(try history.bytes() == bytes)
  }
}
