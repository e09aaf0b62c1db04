import Foundation
import GRDB
import Testing

/// FMDB's promises about SQL and values, as GRDB keeps them.
extension QueueStatements {
  @Test("F11 too few or too many values, or a name that is missing, is an error")
  func f11() throws {
    try Self.withDatabase { queue in
      try queue.write { try $0.execute(sql: "CREATE TABLE t (x, y)") }
      for arguments: StatementArguments in [[1], [1, 2, 3], ["x": 1], ["x": 1, "z": 2]] {
        // GRDB reports superfluous values after the statement has run, so the transaction must roll it back.
        #expect(throws: DatabaseError.self) {
          try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (:x, :y)", arguments: arguments) }
        }
      }
      let (count, statements) = try queue.read { db in
        (try Int.fetchOne(db, sql: "SELECT count(*) FROM t"), Self.statements(db))
      }
      #expect(count == 0)
      #expect(statements.allSatisfy { !$0.hasPrefix("INSERT") })
    }
  }

  @Test("F12 values come as a list or by name, and are never spliced into the SQL")
  func f12() throws {
    try Self.inDatabase { db in
      try db.execute(sql: "CREATE TABLE t (x, y)")
      let injection = "'); DROP TABLE t; --"
      try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: ["a", injection])
      try db.execute(sql: "INSERT INTO t VALUES (:x, :y)", arguments: ["y": 2, "x": "b"])
      #expect(try String.fetchAll(db, sql: "SELECT x || y FROM t ORDER BY x") == ["a\(injection)", "b2"])
    }
  }

  @Test("F13 a batch of statements: three tables and three rows")
  func f13() throws {
    try Self.inDatabase { db in
      try db.execute(
        sql: """
          CREATE TABLE bulktest1 (id INTEGER PRIMARY KEY AUTOINCREMENT, x TEXT);
          CREATE TABLE bulktest2 (id INTEGER PRIMARY KEY AUTOINCREMENT, y TEXT);
          CREATE TABLE bulktest3 (id INTEGER PRIMARY KEY AUTOINCREMENT, z TEXT);
          INSERT INTO bulktest1 (x) VALUES ('XXX');
          INSERT INTO bulktest2 (y) VALUES ('YYY');
          INSERT INTO bulktest3 (z) VALUES ('ZZZ');
          """)
      let sql = "SELECT x FROM bulktest1 UNION SELECT y FROM bulktest2 UNION SELECT z FROM bulktest3"
      #expect(try String.fetchAll(db, sql: sql) == ["XXX", "YYY", "ZZZ"])
    }
  }

  @Test("F14 every type has its getter, and a row is a dictionary by name")
  func f14() throws {
    try Self.withDatabase { queue in
      try queue.read { db in
        let sql = "SELECT 7 AS i, 9007199254740993 AS l, 1 AS b, 1.5 AS d, 's' AS s, x'0102' AS x, NULL AS n"
        let row = try #require(try Row.fetchOne(db, sql: sql))
        #expect(row["i"] as Int == 7 && row["l"] as Int64 == 9_007_199_254_740_993 && row["b"] as Bool)
        #expect(row["d"] as Double == 1.5 && row["s"] as String == "s" && row["x"] as Data == Data([1, 2]))
        #expect(row["n"] as Int? == nil)
        let dictionary = Dictionary(row.map { ($0.0, $0.1) }) { first, _ in first }
        #expect(dictionary["s"]?.storage.value as? String == "s" && dictionary.count == 7)
      }
    }
  }

  @Test("F21 find, then insert or update by name; delete by two keys")
  func f21() throws {
    try Self.inDatabase { db in
      try db.execute(sql: "CREATE TABLE STAppLog (appLogID TEXT, userID TEXT, accuracy REAL)")
      for accuracy in [0.5, 0.75] {
        let found = try Row.fetchOne(db, sql: "SELECT * FROM STAppLog WHERE appLogID = ?", arguments: ["log"])
        let sql =
          found == nil
          ? "INSERT INTO STAppLog VALUES (:appLogID, :userID, :accuracy)"
          : "UPDATE STAppLog SET accuracy = :accuracy WHERE appLogID = :appLogID AND userID = :userID"
        try db.execute(sql: sql, arguments: ["appLogID": "log", "userID": "user", "accuracy": accuracy])
      }
      #expect(try Double.fetchAll(db, sql: "SELECT accuracy FROM STAppLog") == [0.75])
      let delete = "DELETE FROM STAppLog WHERE userID = ? AND appLogID = ?"
      try db.execute(sql: delete, arguments: ["another", "log"])
      #expect(db.changesCount == 0)
      try db.execute(sql: delete, arguments: ["user", "log"])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM STAppLog") == 0)
    }
  }
}
