import Foundation
import GRDB
import GRDBSQLite
import StorageContract
import Synchronization
import Testing

@testable import StorageBackends
@testable import StorageVerify

/// FMDB's promises, kept by GRDB and the adapter.
@Suite struct QueueStatements {
  /// Runs a body on GRDB's own queue, for features that the contract lacks.
  static func withDatabase(_ body: (DatabaseQueue) throws -> Void) throws {
    try Subject.with(Configuration("sqlite-queue")) { subject in
      let queue = try DatabaseQueue(path: subject.file)
      try body(queue)
      try queue.close()
    }
  }

  /// Runs a body in a write transaction of GRDB's own queue.
  static func inDatabase(_ body: (Database) throws -> Void) throws { try withDatabase { try $0.write(body) } }

  private static func expectCount(
    _ expected: Int, _ store: any SharedStore, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let count = try store.read { try $0.count(in: .records) }
    #expect(count == expected, sourceLocation: sourceLocation)
  }

  @Test("F1 a database, a cursor over its rows, a queue for every thread")
  func f1() throws {
    try Self.withDatabase { queue in
      let rows = try queue.write { db in
        try db.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
        let cursor = try Row.fetchCursor(db, sql: "SELECT x FROM t ORDER BY x")
        var rows: [Int] = []
        while let row = try cursor.next() { rows.append(row["x"]) }
        return rows
      }
      #expect(rows == [1, 2])
    }
  }

  @Test("F2 eight threads go through the queue, and nothing is busy or misused", arguments: ["no", "yes"])
  func f2(_ pool: String) throws {
    try Subject.withShared(Configuration("sqlite-queue", ["pool=\(pool)", "journal=auto"])) { store, _ in
      try onThreads(8) { thread in
        for number in 0..<25 {
          let key = Int64(thread * 100 + number)
          try store.write { try $0.put(Tricky.record(key, "n")) }
          let found = try store.read { try $0.record(key) }
          #expect(found?.name == "n")
        }
      }
      try Self.expectCount(200, store)
    }
  }

  @Test("F3 blocks run in the order in which they come, never two at a time, and their caller waits")
  func f3() throws {
    try Subject.withShared(Configuration("sqlite-queue")) { store, _ in
      let inside = Mutex(0)
      let overlaps = Mutex(0)
      try onThreads(4) { thread in
        for number in 0..<20 {
          var hasRun = false
          try store.write { transaction in
            inside.withLock { $0 += 1 }
            try transaction.put(Tricky.record(Int64(thread), "\(number)"))
            if inside.withLock({ $0 }) != 1 { overlaps.withLock { $0 += 1 } }
            inside.withLock { $0 -= 1 }
            hasRun = true
          }
          #expect(hasRun)
        }
      }
      #expect(overlaps.withLock { $0 } == 0)
    }
    try Self.withDatabase { queue in
      let order = Mutex<[Int]>([])
      for number in 0..<50 {
        queue.asyncWriteWithoutTransaction { _ in order.withLock { $0.append(number) } }
      }
      // This write runs after the others.
      try queue.write { _ in }
      #expect(order.withLock { $0 } == Array(0..<50))
    }
  }

  @Test("F4 entering the queue from inside is an error, in every build, where GRDB and FMDB end the process")
  func f4() throws {
    try Subject.withShared(Configuration("sqlite-queue")) { store, _ in
      #expect(throws: StoreError.self) { try store.write { _ in try store.write { _ in } } }
      // Another queue may be entered.
      try Subject.withShared(Configuration("sqlite-queue")) { other, _ in
        try store.write { transaction in
          try other.write { try $0.put(Tricky.record(1, "other")) }
          try transaction.put(Tricky.record(2, "one"))
        }
        try Self.expectCount(1, other)
      }
    }
    try expectKept("sqlite-queue", [F4.self])
  }

  @Test("F6 a block may ask for a rollback, and nothing of it stays")
  func f6() throws {
    try Subject.withShared(Configuration("sqlite-queue")) { store, _ in
      let completion = try store.inTransaction { transaction in
        try transaction.put(Tricky.record(1, "undone"))
        return .rollback
      }
      #expect(completion == .rollback)
      try Self.expectCount(0, store)
    }
  }

  @Test("F7 the rollback sample: six inserts are printed as successful, and there is no data")
  func f7() throws {
    struct Failure: Error {}
    try Self.withDatabase { queue in
      try queue.write { try $0.execute(sql: "CREATE TABLE User (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)") }
      var inserted = 0
      #expect(throws: Failure.self) {
        try queue.write { db in
          for number in 0..<10 {
            try db.execute(sql: "INSERT INTO User (name) VALUES (?)", arguments: ["test\(number + 1)"])
            inserted += 1
            if number == 5 { throw Failure() }
          }
        }
      }
      #expect(inserted == 6)
      for table in ["User", "sqlite_sequence"] {
        let count = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
        #expect(count == 0, "\(table)")
      }
    }
  }

  @Test("F9 a cached statement is prepared once, is clean when it is used again, and is never lent twice")
  func f9() throws {
    try Self.inDatabase { db in
      try db.execute(sql: "CREATE TABLE t (x, y)")
      let sql = "INSERT INTO t VALUES (?, ?)"
      for number in 0..<10 { try db.cachedStatement(sql: sql).execute(arguments: [number, "a"]) }
      #expect(Self.statements(db).filter { $0 == sql }.count == 1)
      // Bindings of the last use are cleared.
      #expect(throws: DatabaseError.self) { try db.cachedStatement(sql: sql).execute(arguments: [1]) }
      // Without the cache, each statement is new, and finalized after its use.
      for number in 0..<10 { try db.makeStatement(sql: sql).execute(arguments: [number, "b"]) }
      #expect(Self.statements(db).filter { $0 == sql }.count == 1)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 20)
    }
    // Nested scans of one collection have separate cursors.
    try Subject.withShared(Configuration("sqlite-queue")) { store, _ in
      try store.write { transaction in
        for key in Int64(0)..<4 { try transaction.put(Tricky.record(key, "n")) }
        var pairs = 0
        try transaction.scan(.all, in: .records) { _ in
          try transaction.scan(.all, in: .records) { _ in
            pairs += 1
            return true
          }
          return true
        }
        #expect(pairs == 16)
      }
    }
  }

  /// Returns the SQL of all prepared statements of the connection.
  static func statements(_ db: Database) -> [String] {
    var texts: [String] = []
    var statement = sqlite3_next_stmt(db.sqliteConnection, nil)
    while let found = statement {
      texts.append(sqlite3_sql(found).map { String(cString: $0) } ?? "")
      statement = sqlite3_next_stmt(db.sqliteConnection, found)
    }
    return texts
  }

  @Test("F15 a lock of somebody else's is waited for, for as long as FMDB would; without a time-out it is busy at once")
  func f15() throws {
    for (backend, waits) in [("sqlite", false), ("sqlite-queue", true)] {
      try Subject.withStore(Configuration(backend)) { store, subject in
        let other = try SQLiteConnection(path: subject.file)
        try other.execute("BEGIN IMMEDIATE")
        for changes in [[Change.put(Tricky.record(1, "waits"))], [.delete(1), .delete(2)]] {
          let start = ContinuousClock.now
          let error = #expect(throws: StoreError.self) { try store.commit(changes) }
          #expect(error?.isBusy == true)
          // SQLite adds the nominal lengths of its sleeps, and each is a little shorter.
          if waits { #expect(start.duration(to: .now) > .seconds(QueueDatabase.busyTimeout * 0.9)) }
        }
        if waits {
          // The lock is released while the commit waits.
          nonisolated(unsafe) let lent = other
          let done = DispatchSemaphore(value: 0)
          Thread.detachNewThread {
            usleep(50_000)
            try? lent.execute("ROLLBACK")
            done.signal()
          }
          try store.commit([.put(Tricky.record(1, "free"))])
          done.wait()
        } else {
          try other.execute("ROLLBACK")
          try store.commit([.put(Tricky.record(1, "free"))])
        }
        #expect(try store.record(1, in: .records)?.name == "free")
        try other.close()
      }
    }
  }

  @Test("F16 opening again does no harm, and what cannot be opened is an error with its code")
  func f16() throws {
    try Subject.withShared(Configuration("sqlite-queue")) { store, subject in
      try store.write { try $0.put(Tricky.record(1, "one")) }
      let again = try SQLiteQueueBackend.openShared(subject.environment())
      try Self.expectCount(1, again)
      try again.close()
      // A closed store may be closed again, and other calls fail.
      try again.close()
      #expect(throws: StoreError.failed("store.sqlite is closed")) { try again.read { try $0.count(in: .records) } }
    }
    #expect {
      try SQLiteQueueBackend.openShared(StoreEnvironment(directory: "/nowhere/at/all"))
    } throws: {
      guard case StoreError.failed(let text) = $0 else { return false }
      return text.contains("unable to open database file") && text.hasSuffix("(SQLite 14)")
    }
  }

  @Test("F17 without a path the database is in memory; with an empty one it is a file that goes when it is closed")
  func f17() throws {
    for queue in [try DatabaseQueue(), try DatabaseQueue(path: "")] {
      try queue.write { db in
        try db.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        #expect(try Int.fetchOne(db, sql: "SELECT x FROM t") == 1)
        #expect(try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list")?.isEmpty == true)
      }
      try queue.close()
    }
  }

  @Test("F18 a scan of many rows holds one row at a time", arguments: ["decode=row", "decode=codable"])
  func f18(_ option: String) throws { try expectKept("sqlite-queue", [F18.self], options: option) }

  @Test("F20 a query runs in its own time: readers of a pool do not wait for a writer")
  func f20() throws {
    try Subject.withShared(Configuration("sqlite-queue", ["pool=yes"])) { store, _ in
      try store.write { try $0.put(Tricky.record(1, "before")) }
      try store.write { transaction in
        try transaction.put(Tricky.record(1, "after"))
        // The writer is still in its block. If readers waited for it, this would never return.
        try onThreads(2) { _ in
          let found = try store.read { try $0.record(1) }
          #expect(found?.name == "before")
        }
      }
      let found = try store.read { try $0.record(1) }
      #expect(found?.name == "after")
      // Two readers are in their blocks at the same time, because each waits for the other.
      let (one, other) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      try onThreads(2) { thread in
        try store.read { snapshot in
          (thread == 0 ? one : other).signal()
          (thread == 0 ? other : one).wait()
          let count = try snapshot.count(in: .records)
          #expect(count == 1)
        }
      }
    }
  }
}
