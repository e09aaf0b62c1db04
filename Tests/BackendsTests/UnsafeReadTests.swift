import GRDB
import Testing

@testable import StorageBackends
@testable import StorageContract

@Suite struct UnsafeReadTests {
  /// Returns the number of statements of one read, through a store with these options.
  private func statements(_ options: [String], _ read: (SQLiteQueueBackend) throws -> Void) throws -> Int {
    // Only connections that are opened after the first request are counted.
    _ = SQLiteLibrary.statements()
    return try Subject.withStore(Configuration("sqlite-queue", options), as: SQLiteQueueBackend.self) { _, store in
      try store.commit([Change.put(Tricky.record(1, "one"), in: .records)])
      // The first read of a pool opens a connection.
      try read(store)
      let before = SQLiteLibrary.statements()
      try read(store)
      return SQLiteLibrary.statements() - before
    }
  }

  /// A separate process, because statements of other tests would be counted, too.
  @Test func aReadWithoutATransactionIsOneStatement() async throws {
    await #expect(processExitsWith: .success) {
      func expect(_ options: [String], _ expected: Int) throws {
        let tests = UnsafeReadTests()
        let ways: [(SQLiteQueueBackend) throws -> Void] = [
          { _ = try $0.record(1, in: .records) },
          { _ = try $0.read(1, in: .records) { _ in } },
          { _ = try $0.records(.all, in: .records) },
          { _ = try $0.count(in: .records) },
          { _ = try $0.records(RecordQuery(.name("one")), in: .records) },
        ]
        for way in ways { #expect(try tests.statements(options, way) == expected, "\(options)") }
      }
      try expect([], 5)
      try expect(["read=unsafe"], 1)
      // A pool reads the version of the schema before each.
      try expect(["pool=yes"], 4)
      try expect(["pool=yes", "read=unsafe"], 2)
    }
  }

  @Test(arguments: [["read=unsafe", "journal=wal"], ["pool=yes", "read=unsafe"]])
  func oneStatementSeesOneState(_ options: [String]) throws {
    try Subject.withStore(Configuration("sqlite-queue", options)) { store, subject in
      try store.commit((1...100).map { .put(Tricky.record($0, "old")) })
      let other = try DatabaseQueue(path: subject.file)
      var names: [String] = []
      try store.scan(.all, in: .records) { view in
        if names.isEmpty {
          try other.write { db in
            try db.execute(sql: "UPDATE records SET name = 'new'; DELETE FROM records WHERE id > 50")
          }
        }
        names.append(view.record().name)
        return true
      }
      #expect(names == Array(repeating: "old", count: 100))
      #expect(try store.records(.all, in: .records).map(\.name) == Array(repeating: "new", count: 50))
      try other.close()
    }
  }
}
