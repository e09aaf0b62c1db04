import Foundation
import GRDBSQLite
import StorageContract
import Testing

@testable import StorageBackends
@testable import StorageVerify

@Suite struct SQLiteStatements {
  /// Runs a body with a raw connection beside the backend.
  private static func withConnection(_ body: (Subject, SQLiteConnection) throws -> Void) throws {
    try Subject.with(Configuration("sqlite")) { subject in
      let connection = try SQLiteConnection(path: subject.file)
      try body(subject, connection)
      try connection.close()
    }
  }

  @Test("S1 open makes the file, close lets go of it")
  func s1() throws {
    try Subject.with(Configuration("sqlite")) { subject in
      #expect(!FileManager.default.fileExists(atPath: subject.file))
      let store = try subject.open()
      #expect(FileManager.default.fileExists(atPath: subject.file))
      try store.commit([.put(Tricky.record(1, "one"))])
      try store.close()
      try FileManager.default.removeItem(atPath: subject.file)
    }
  }

  @Test("S2 what SQLite says of a bad statement is what the error says")
  func s2() throws {
    try Self.withConnection { _, connection in
      try connection.execute("CREATE TABLE FIELDS (ROW INTEGER PRIMARY KEY, FIELD_DATA TEXT)")
      // A sample of the claims lacks the closing bracket.
      let bad = "INSERT OR REPLACE INTO FIELDS (ROW, FIELD_DATA) VALUES (1, 'one'"
      #expect(throws: StoreError.failed("store.sqlite: incomplete input (SQLite 1)")) { try connection.execute(bad) }
      #expect(throws: StoreError.failed("store.sqlite: no such table: PEOPLE (SQLite 1)")) {
        try connection.prepare("SELECT * FROM PEOPLE")
      }
    }
  }

  @Test("S3 no statement is left behind, however its use ended", arguments: ["statements=cached", "statements=fresh"])
  func s3(_ option: String) throws {
    struct Mine: Error {}
    // Closing the store would throw, because sqlite3_close fails while a statement is not finalized.
    try Subject.withStore(Configuration("sqlite", [option])) { store in
      try store.commit((0..<5).map { Change.put(Tricky.record($0, "n")) })
      #expect(throws: Mine.self) { try store.scan(.all, in: .records) { _ in throw Mine() } }
      try store.scan(.all, in: .records) { _ in try !store.read(1, in: .records) { _ in } }
      #expect(throws: StoreError.self) { try store.commit([Change.delete(1), .delete(1, in: CollectionID(9))]) }
    }
  }

  @Test("S4 values are bound: what looks like SQL is stored as it stands")
  func s4() throws {
    let texts = ["O'Brien\"; DROP TABLE records; --", "?1 :a @b $c", "NUL\0inside", "中文 👩‍👩‍👧‍👦", "%_*"]
    try Subject.withStore(Configuration("sqlite")) { store in
      let records = texts.enumerated().map { Tricky.record(Int64($0.offset), $0.element, group: $0.element) }
      try store.commit(records.map { .put($0) })
      #expect(try store.records(.all, in: .records) == records)
    }
  }

  @Test("S5 creating what is there already leaves it as it is, at every launch")
  func s5() throws {
    try Subject.with(Configuration("sqlite")) { subject in
      for launch in 1...3 {
        let store = try subject.open()
        #expect(try store.count(in: .records) == launch - 1)
        try store.commit([.put(Tricky.record(Int64(launch), "launch"))])
        try store.close()
      }
    }
  }

  @Test("S6 insert or replace: the same key twice is one row, with the latest value")
  func s6() throws {
    try Self.withConnection { subject, connection in
      let store = try subject.open()
      for text in ["text1", "text2"] { try store.commit([.put(Tricky.record(0, text))]) }
      try store.close()
      #expect(try connection.text("SELECT count(*) || name FROM records") == "1text2")
    }
  }

  /// The notes' example of four lines: each is prepared, bound, stepped once and finalized, without a transaction.
  @Test("S6 four lines that are saved twice are four rows", arguments: [false, true])
  func fourLines(_ isInTransaction: Bool) throws {
    try Self.withConnection { _, connection in
      try connection.execute("CREATE TABLE IF NOT EXISTS FIELDS (ROW INTEGER PRIMARY KEY, FIELD_DATA TEXT)")
      for round in 1...2 {
        if isInTransaction { try connection.execute("BEGIN") }
        for row in 0..<4 {
          let sql = "INSERT OR REPLACE INTO FIELDS (ROW, FIELD_DATA) VALUES (?, ?)"
          var statement: OpaquePointer?
          #expect(sqlite3_prepare_v2(connection.handle, sql, -1, &statement, nil) == SQLITE_OK)
          // Variables are numbered from 1.
          #expect(sqlite3_bind_int(statement, 0, 7) == SQLITE_RANGE)
          #expect(sqlite3_bind_int(statement, 1, Int32(row)) == SQLITE_OK)
          let text = "round \(round), text\(row + 1)"
          let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
          #expect(sqlite3_bind_text(statement, 2, text, -1, transient) == SQLITE_OK)
          #expect(sqlite3_step(statement) == SQLITE_DONE)
          #expect(sqlite3_finalize(statement) == SQLITE_OK)
        }
        if isInTransaction { try connection.execute("COMMIT") }
      }
      #expect(sqlite3_next_stmt(connection.handle, nil) == nil)
      let texts = try connection.text("SELECT group_concat(FIELD_DATA, ';') FROM (SELECT * FROM FIELDS ORDER BY ROW)")
      #expect(texts == (1...4).map { "round 2, text\($0)" }.joined(separator: ";"))
    }
  }

  @Test("S8 one record is read without reading the others")
  func s8() throws { try expectKept("sqlite", [S8.self]) }

  @Test("S9 four saves of one row cost four times the syncs of one save of four rows")
  func s9() throws { try expectKept("sqlite", [S9.self], options: "journal=delete") }

  @Test("S10 a full disk is an error, and the database is sound afterwards")
  func s10() throws {
    try Self.withConnection { _, connection in
      try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES ('before'); PRAGMA max_page_count = 10;")
      let error = #expect(throws: StoreError.self) {
        try connection.execute("INSERT INTO t VALUES (randomblob(100000))")
      }
      #expect(error?.isFull == true)
      #expect(try connection.text("SELECT group_concat(x) FROM t") == "before")
      #expect(try connection.text("PRAGMA integrity_check") == "ok")
      try connection.execute("INSERT INTO t VALUES ('after')")
    }
  }

  @Test("S11 begin, commit and rollback are SQLite's own")
  func s11() { #expect(Capability.transactional.isNative(in: SQLiteBackend.self)) }

  /// One connection for all threads, without a queue: SQLite's calls are thread-safe, but all threads share a
  /// transaction.
  @Test("S12 on a shared connection the transactions of two threads are one, unlike through the queue (F8)")
  func s12() throws {
    try Self.withConnection { _, connection in
      #expect(sqlite3_db_mutex(connection.handle) != nil)
      // SQLite's serialized mode allows any thread to use the connection.
      nonisolated(unsafe) let shared = connection
      try connection.execute("CREATE TABLE t (x)")
      try onThreads(1) { _ in try shared.execute("BEGIN; INSERT INTO t VALUES ('first thread')") }
      // The second thread cannot begin, because it is in the first one's transaction. Its insert is acknowledged.
      try onThreads(1) { _ in
        #expect(throws: StoreError.self) { try shared.execute("BEGIN") }
        try shared.execute("INSERT INTO t VALUES ('second thread')")
      }
      // The first thread rolls the insert back.
      try onThreads(1) { _ in try shared.execute("ROLLBACK") }
      #expect(try connection.text("SELECT count(*) FROM t") == "0")
    }
  }

  @Test("S14 columns have types: whole numbers, fractions, texts, bytes, nothing")
  func s14() throws {
    try Self.withConnection { subject, connection in
      let store = try subject.open()
      try store.commit([
        .put(Tricky.record(7, "text", score: 1.5, modified: .nan, payload: Data([1, 2]))),
        .put(Tricky.record(8, "", score: 2, payload: Data())),
      ])
      try store.close()
      let types = #"typeof(id), typeof(name), typeof("group"), typeof(score), typeof(modified), typeof(payload)"#
      let sql = "SELECT \(types.replacing(", ", with: " || ' ' || ")) FROM records WHERE id = "
      #expect(try connection.text(sql + "7") == "integer text text real null blob")
      #expect(try connection.text(sql + "8") == "integer text text real real blob")
    }
  }
}

struct S8: ConformanceCheck {
  static let steps: Steps = [
    { try $0.withStore { try $0.commit(SampleRecords.filler(0..<5_000, bytes: 200)) } },
    { subject in
      let counts = try subject.counting {
        try subject.withStore { store in
          subject.expect(try store.record(4_321, in: .records) != nil, "a record is missing")
        }
      }
      let (read, size) = (Int(counts.bytes_read), subject.size)
      subject.expect(read > 0 && read < size / 20, "\(read) bytes of \(size) are read for one record")
    },
  ]
}

struct S9: OneStepCheck {
  @Sendable static func run(_ subject: CheckSubject) throws {
    try subject.withStore { store in
      try store.commit(FourLines.changes(["", "", "", ""]))
      let lines = FourLines.changes(["text1", "text2", "text3", "text4"])
      let apart = try subject.counting { for line in lines { try store.commit([line]) } }
      let together = try subject.counting { try store.commit(lines) }
      subject.expect(together.syncs == 4 && apart.syncs == 16, "\(apart.syncs) syncs and \(together.syncs)")
    }
  }
}
