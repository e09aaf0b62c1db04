import Foundation
import GRDBSQLite
import StorageContract
import TestSupport
import Testing

@testable import StorageBackends

/// Other SQLite libraries beside the linked one. A second copy of the linked library is always there.
@Suite struct SQLiteLibraryTests {
  private static func copy() throws -> String { try #require(SharedObjects.path(of: "libsqlite3.so")) }

  private static func loaded(_ texts: String...) throws -> LoadedEngine? {
    let description = SQLiteBackend.description
    return description.loaded(try Options(parsing: texts, specs: description.options, owner: "sqlite"))
  }

  private static func isThere(_ library: String) -> Bool {
    (try? loaded("library=\(library)")).map { $0?.obstacle == nil } ?? false
  }

  /// Libraries with encryption that are installed.
  private static let encrypting = ["sqlite3mc", "sqlcipher"].filter(isThere)

  @Test(arguments: [[], ["ids=uuid4"], ["ids=uuid7-text"], ["journal=wal"], ["connection=per-operation"]])
  func aLoadedLibraryKeepsTheSameRecords(_ options: [String]) throws {
    for library in ["linked", try Self.copy()] + Self.encrypting {
      try Subject.with(Configuration("sqlite", ["library=\(library)"] + options)) { subject in
        let store = try subject.open()
        try store.commit(Tricky.records.map { .put($0) })
        try store.commit([.delete(2, in: .records)])
        try store.close()
        let again = try subject.open()
        let keys = try again.records(.all, in: .records).map(\.id)
        #expect(keys == Tricky.records.map(\.id).filter { $0 != 2 }, "\(library)")
        #expect(try again.record(8, in: .records) == Tricky.records.first { $0.id == 8 }, "\(library)")
        try again.close()
      }
    }
  }

  @Test func `the safety text names the defect of the engine that is used`() throws {
    let option = OptionSpec("library", .choice(["linked", "other"]), help: "")
    let description = BackendDescription(
      id: "x", summary: "", safety: "Little is lost.", options: [option], kind: { _ in .page }, engineVersion: { "1" },
      loaded: {
        $0[option] == "linked"
          ? nil : LoadedEngine(version: "2", compileOptions: "", origin: nil, knownDefect: nil)
      }, knownDefect: "a bug")
    #expect(description.safety(for: Options()) == "Little is lost. This version has a bug.")
    let other = try Options(parsing: ["library=other"], specs: [option], owner: "x")
    #expect(description.safety(for: other) == "Little is lost.")
  }

  @Test func settingsAndVersionTellTheBuild() throws {
    let library = try Self.copy()
    let engine = try #require(try Self.loaded("library=\(library)"))
    let linked = SQLiteLibrary.linked
    #expect(engine.obstacle == nil && engine.version == linked.fullVersion)
    #expect(engine.version.hasPrefix("\(linked.version) (source ") && !engine.version.contains(","))
    #expect(engine.compileOptions == linked.compileOptions)
    try Subject.withStore(Configuration("sqlite", ["library=\(library)"])) { store in
      let settings = Settings(store.settings)
      #expect(settings["source"] == linked.sourceID.replacing(" ", with: "_"))
      #expect(settings["options"]?.contains("THREADSAFE=") == true)
    }
    #expect(try Self.loaded() == nil)
    let queue = SQLiteQueueBackend.description
    #expect(queue.options.contains(SQLiteAccess.libraryOption) == false)
  }

  /// A separate process, because statements of other tests would be counted, too.
  @Test func statementsOfALoadedLibraryAreCounted() async throws {
    await #expect(processExitsWith: .success) {
      func statements(_ library: String) throws -> Int {
        try Subject.withStore(Configuration("sqlite", ["library=\(library)", "statements=fresh"])) { store in
          let before = SQLiteLibrary.statements()
          try store.commit([.put(Tricky.record(1, "one")), .put(Tricky.record(2, "two"))])
          return SQLiteLibrary.statements() - before
        }
      }
      // BEGIN, two insertions, COMMIT.
      _ = SQLiteLibrary.statements()
      #expect(try statements("linked") == 4)
      let copy = try SQLiteLibraryTests.copy()
      #expect(try statements(copy) == 4)
    }
  }

  @Test func aFileThatIsNoLibraryIsNamed() throws {
    let directory = try Subject.temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let whole = try #require(FileManager.default.contents(atPath: try Self.copy()))
    let other = try #require(SharedObjects.path(of: "liblmdb.so"))
    let complaints: [(String, Data?, String)] = [
      ("none.so", nil, "cannot be read"), ("", nil, "cannot be read"), ("empty.so", Data(), "is not a shared library"),
      ("text.so", Data("not a library, but a text that is longer than a header of a library ".utf8), "is not a shared"),
      ("half.so", whole.prefix(whole.count / 2), "is not a shared library"),
      ("head.so", whole.prefix(60), "is not a shared"),
      ("lmdb.so", FileManager.default.contents(atPath: other), "lacks the function sqlite3_libversion"),
    ]
    for (name, content, complaint) in complaints {
      let path = "\(directory)/\(name)"
      if let content { try content.write(to: URL(fileURLWithPath: path)) }
      let engine = try #require(try Self.loaded("library=\(path)"))
      #expect(engine.obstacle?.hasPrefix("library=\(directory)") == true, "\(name)")
      #expect(engine.obstacle?.contains(complaint) == true, "\(name): \(engine.obstacle ?? "")")
      #expect(engine.obstacle?.hasSuffix("; give the path of an SQLite library") == true && engine.isMistake)
      #expect(throws: StoreError.self) {
        try Subject.withStore(Configuration("sqlite", ["library=\(path)"])) { _ in }
      }
    }
  }

  @Test func aKeyNeedsALibraryWithEncryption() throws {
    for texts in [["cipher-key=raw"], ["cipher-key=passphrase", "library=\(try Self.copy())"]] {
      let options = try Options(parsing: texts, specs: SQLiteBackend.description.options, owner: "sqlite")
      let engine = try #require(SQLiteBackend.description.loaded(options))
      #expect(engine.isMistake && engine.obstacle?.contains("add library=sqlite3mc") == true)
      #expect(SQLiteBackend.promise(.shipped, options) == .unavailable(engine.obstacle ?? ""))
    }
  }

  @Test(.enabled(if: SQLiteChecksums.obstacle == nil, "cksumvfs is not there; run scripts/install engines"))
  func `a flipped bit is noticed with checksums`() throws {
    for options in [[], ["checksums=yes"]] {
      try Subject.with(Configuration("sqlite", options)) { subject in
        let store = try subject.open()
        let records = (0..<200).map {
          Tricky.record($0, "name", group: "group", payload: Data(repeating: 7, count: 50))
        }
        try store.commit(records.map { .put($0) })
        let settings = Settings(store.settings)
        #expect(settings["checksums"] == (options.isEmpty ? nil : "cksumvfs"))
        try store.close()
        var bytes = try #require(FileManager.default.contents(atPath: subject.file))
        let payload = try #require(bytes.range(of: Data(repeating: 7, count: 50)))
        bytes[payload.lowerBound + 10] ^= 1
        try bytes.write(to: URL(fileURLWithPath: subject.file))
        func read() throws -> Int {
          let again = try subject.open()
          defer { try? again.close() }
          return try again.records(.all, in: .records).count { $0.payload == records[0].payload }
        }
        if options.isEmpty {
          #expect(try read() == 199)
        } else {
          let error = #expect(throws: StoreError.self) { _ = try read() }
          #expect(error?.description.hasPrefix("damaged store: ") == true, "\(String(describing: error))")
        }
      }
    }
  }

  @Test func `checksums need the linked library`() throws {
    let engine = try #require(try Self.loaded("checksums=yes", "library=\(try Self.copy())"))
    #expect(engine.isMistake && engine.obstacle?.contains("leave out library=") == true, "\(engine)")
  }

  @Test(
    .enabled(if: !encrypting.isEmpty, "neither sqlite3mc nor sqlcipher is there; run scripts/install engines"),
    arguments: encrypting, ["raw", "passphrase"])
  func anEncryptedFileHasNoPlainText(_ library: String, _ key: String) throws {
    for other in [[], ["page=8192"], ["journal=wal", "connection=per-operation"]] {
      let options = ["library=\(library)"] + other
      try Subject.with(Configuration("sqlite", options + ["cipher-key=\(key)"])) { subject in
        let store = try subject.open()
        try store.commit((0..<200).map { .put(Tricky.record($0, "a secret name", group: "a secret group")) })
        let settings = Settings(store.settings)
        #expect(settings["page_size"] == (other == ["page=8192"] ? "8192" : "4096"), "\(options)")
        #expect(settings["kdf_iter"] != nil && settings["kdf_iter"] != "unknown")
        try store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: subject.directory) {
          let bytes = try #require(FileManager.default.contents(atPath: "\(subject.directory)/\(name)"))
          #expect(bytes.range(of: Data("SQLite format 3".utf8)) == nil, "\(name)")
          #expect(bytes.range(of: Data("a secret name".utf8)) == nil, "\(name)")
        }
        // A raw key in the form of the other library would be a passphrase.
        for wrong in [["cipher-key=\(key == "raw" ? "passphrase" : "raw")"], []] {
          let before = FileManager.default.contents(atPath: subject.file)
          let attempt = Subject(Configuration("sqlite", options + wrong), directory: subject.directory)
          let error = #expect(throws: StoreError.self) { _ = try attempt.open() }
          let text = String(describing: error)
          #expect(error?.isDamaged == true && (wrong.isEmpty || text.contains("another key or library")), "\(text)")
          #expect(FileManager.default.contents(atPath: subject.file) == before)
        }
        let again = try subject.open()
        #expect(try again.count(in: .records) == 200)
        #expect(try (again as? any Inspecting)?.layout().pageCount ?? 0 > 0)
        try again.close()
      }
    }
  }
}
