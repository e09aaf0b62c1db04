import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Files that are no store, damaged, of another model, or protected: typed errors that name the file, which stays as it
/// was.
@Suite struct StoreErrorTests {
  /// Opens and reads a store that must be refused, and checks that nothing is written.
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
        ("a store of type \(other)", try main(StoreHistory.school(other)))
      }
    for (what, bytes) in contents {
      let history = try StoreHistory(type)
      try bytes.write(to: history.url)
      for options in [StoreOptions(), .migrating] {
        #expect(try refused(history, options, "\(what)").damage != nil, "\(what)")
      }
    }
  }

  @Test("A part of a store, a longer one and foreign lists are refused", arguments: [StoreType.binary, .xml])
  func propertyLists(_ type: StoreType) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = type == .xml ? .xml : .binary
    let sound = try main(StoreHistory.school(type))
    // The checksum is among the first bytes.
    let lengths = Array(stride(from: 0, to: 1_024, by: 7)) + [sound.count / 2, sound.count - 1]
    let cut = lengths.map { sound.prefix($0) }
    let nested = ["<?xml version=\"1.0\"?><plist version=\"1.0\">", "bplist00", ""].flatMap { start in
      ["<array>", "("].map { Data((start + String(repeating: $0, count: 200_000)).utf8) }
    }
    let history = try StoreHistory(type)
    for bytes in try [encoder.encode(["format": "2"]), sound + [65]] + cut + nested {
      try bytes.write(to: history.url)
      let error = try refused(history)
      #expect(error.damage?.contains("property list that a store has written") == true, "\(bytes.count): \(error)")
    }
  }

  /// A database of another program.
  private func database() throws -> Data {
    let history = try StoreHistory()
    try Data().write(to: history.url)
    try history.rows("CREATE TABLE birds (name TEXT)")
    return try main(history)
  }

  private func main(_ history: StoreHistory) throws -> Data { try Data(contentsOf: history.url) }

  @Test("What is no file is refused by every type", arguments: StoreHistory.types)
  func noFiles(_ type: StoreType) throws {
    let history = try StoreHistory(type)
    try FileManager.default.createDirectory(at: history.url, withIntermediateDirectories: false)
    for url in [
      history.url, history.directory.appendingPathComponent("nowhere/store.db"),
      history.directory.appendingPathComponent("other/../missing/store.db"),
      try #require(URL(string: "https://example.com/store.db")),
    ] {
      let error = try #require(throws: ObjectGraphError.self) { try Stack.open(type, at: url) }
      guard case .cannotOpen(let file, let text) = error else { throw error }
      #expect(file.hasSuffix("store.db"))
      #expect(!url.path.contains("nowhere") || text.contains("there is no directory"), "\(text)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: history.directory.path) == ["store.db"])
    #expect(errorText { try Stack.open(type, at: nil) }?.contains("needs a file") == true)
  }

  @Test("A store of another model is refused with the entities that differ", arguments: StoreHistory.types)
  func otherModel(_ type: StoreType) throws {
    let history = try StoreHistory.school(type)
    let models: [([EntityDescription], [String])] = [
      (School.entities.changing("Students") { $0.attributes.removeLast() }, ["Students"]),
      (School.entities.changing("Scores") { $0.uniquenessConstraints = [] }, ["Scores"]),
      (School.entities + [EntityDescription("Absences")], ["Absences"]),
      (People.entities, ["Classes", "Courses", "Scores", "Students"] + People.entities.map(\.name)),
    ]
    for (model, names) in models {
      let error = try refused(history, by: model)
      guard case .incompatibleModel(file: "store.db", let entities) = error else { throw error }
      #expect(entities == names.sorted())
    }
    // The order of declaration is no part of a model.
    let same = School.entities.reversed().map { entity in
      var entity = entity
      entity.attributes.reverse()
      entity.relationships.reverse()
      return entity
    }
    #expect(try history.graph(same) == history.graph())
  }

  @Test("A file in a directory that is protected by the system", arguments: StoreHistory.types)
  func protected(_ type: StoreType) async throws {
    let history = try StoreHistory.school(type)
    let bytes = try history.bytes()
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: history.url.path)
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: history.directory.path)
    defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: history.directory.path) }
    await #expect(processExitsWith: .success) { [path = history.url.path as String, type = type as StoreType] in
      // The superuser may write everywhere.
      if geteuid() == 0 { try #require(setgid(65_534) == 0 && setuid(65_534) == 0) }
      var hasRead = false
      let error = try #require(throws: ObjectGraphError.self) {
        let context = try Stack.open(type, at: URL(fileURLWithPath: path))
        #expect(try context.studentCount() == 11)
        hasRead = true
        _ = try context.student("S99")
        defer { #expect(context.hasChanges) }
        try context.save()
      }
      guard case .readOnly(file: "store.db", _) = error else { throw error }
      // A database that cannot be written is not opened.
      #expect(hasRead == (type != .sqlite), "\(error)")
    }
    #expect(try history.bytes() == bytes)
  }
}
