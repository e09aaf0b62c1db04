import GRDB
import GRDBSQLite
import Testing

@testable import StorageBackends
@testable import StorageContract

@Suite struct UnsafeReadTests {
  /// Returns the number of statements of one read, through a store with these options.
  private func statements(_ options: [String], _ read: (SQLiteQueueBackend) throws -> Void) throws -> Int {
    // Only connections that are opened after the first request are counted.
    _ = SQLiteLibrary.statements()
    var count = 0
    try Subject.with(Configuration("sqlite-queue", options)) { subject in
      let store = try SQLiteQueueBackend(opening: subject.environment())
      try store.commit([Change.put(Tricky.record(1, "one"), in: .records)])
      // The first read of a pool opens a connection.
      try read(store)
      let before = SQLiteLibrary.statements()
      try read(store)
      count = SQLiteLibrary.statements() - before
      try store.close()
    }
    return count
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

  /// The reason why a read of a queue takes three times as long as one of a pool: after `query_only` is set, SQLite
  /// compiles every statement of the connection again, cached or not (`OP_Expire`, after each pragma that is a flag).
  @Test func aReadOfAQueueCompilesCachedStatementsAnew() throws {
    func compilations(_ read: ((Database) throws -> Int32) throws -> Int32) throws -> Int32 {
      var count: Int32 = 0
      for _ in 0..<10 {
        count = try read { db in
          let statement = try db.cachedStatement(sql: "SELECT x FROM t")
          _ = try Int.fetchOne(statement)
          return sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
        }
      }
      return count
    }
    try Subject.with(Configuration("sqlite-queue")) { subject in
      let queue = try DatabaseQueue(path: subject.file)
      try queue.write { db in try db.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1)") }
      #expect(try compilations { body in try queue.read(body) } == 9)
      // One more, for the last `query_only` of the earlier reads.
      #expect(try compilations { body in try queue.unsafeRead(body) } == 10)
      try queue.close()
      let pool = try DatabasePool(path: subject.file)
      #expect(try compilations { body in try pool.read(body) } == 0)
      try pool.close()
    }
  }

  @Test(arguments: [["read=unsafe", "journal=wal"], ["pool=yes", "read=unsafe"]])
  func oneStatementSeesOneState(_ options: [String]) throws {
    try Subject.with(Configuration("sqlite-queue", options)) { subject in
      let store = try subject.open()
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
      try store.close()
    }
  }

  @Test(arguments: [["read=unsafe", "journal=wal"], ["pool=yes", "read=unsafe"]])
  func aBlockSeesOneState(_ options: [String]) throws {
    try Subject.with(Configuration("sqlite-queue", options)) { subject in
      let store = try SQLiteQueueBackend.openShared(subject.environment())
      try store.write { try $0.put(Tricky.record(1, "old")) }
      let other = try DatabaseQueue(path: subject.file)
      try store.read { snapshot in
        #expect(try snapshot.record(1)?.name == "old")
        try other.write { db in try db.execute(sql: "UPDATE records SET name = 'new'") }
        #expect(try snapshot.record(1)?.name == "old")
      }
      #expect(try store.read { try $0.record(1)?.name } == "new")
      try other.close()
      try store.close()
    }
  }

  /// With unsafeRead alone, the states differ: this shows that the two tests above can fail.
  @Test func twoStatementsOfAnUnsafeReadSeeTwoStates() throws {
    try Subject.with(Configuration("sqlite-queue")) { subject in
      let queue = try DatabaseQueue(path: subject.file)
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
      }
      let other = try DatabaseQueue(path: subject.file)
      let seen = try queue.unsafeRead { db in
        let first = try Int.fetchOne(db, sql: "SELECT x FROM t")
        try other.write { db in try db.execute(sql: "UPDATE t SET x = 2") }
        return [first, try Int.fetchOne(db, sql: "SELECT x FROM t")]
      }
      #expect(seen == [1, 2])
      try other.close()
      try queue.close()
    }
  }
}
