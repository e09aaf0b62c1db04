import Foundation
import Testing

/// Semantic 5, in the store that `students-store` (`scripts/lab students-store FILE`) writes, read by SQLite alone.
@Suite struct StudentsStoreTests {
  private let history: StoreHistory

  init() throws { history = try StoreHistory() }

  @Test("5: a store of the students model looks in sqlite3 as a Core Data developer expects")
  func store() throws {
    #expect(try Child.output("students-store", history.url.path).isEmpty)
    // Closed, it is one file.
    #expect(try FileManager.default.contentsOfDirectory(atPath: history.directory.path) == ["store.db"])
    try checkTables()
    try checkMetadata()

    // Numbers in the order of the names; the last keys are the greatest that were used.
    #expect(
      try rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1") == [
        ["1", "Classes", "0", "3"], ["2", "Courses", "0", "4"], ["3", "Scores", "0", "24"],
        ["4", "Students", "0", "12"],
      ])
    for (number, table) in ["ZCLASSES", "ZCOURSES", "ZSCORES", "ZSTUDENTS"].enumerated() {
      #expect(try rows("SELECT DISTINCT Z_ENT FROM \(table)") == [["\(number + 1)"]])
    }

    // Every student is in a class, takes two courses, and has a score in each.
    let classes =
      "SELECT ZCLASSNAMES, COUNT(*) FROM ZSTUDENTS s JOIN ZCLASSES c ON s.ZSTUDENT_CLASS = c.Z_PK GROUP BY 1 ORDER BY 1"
    #expect(try rows(classes) == [["7A", "4"], ["7B", "4"], ["7C", "4"]])
    #expect(
      try rows(
        """
        SELECT COUNT(*), COUNT(ZSCORE) FROM Z_2COURSE_STUDENTS LEFT JOIN ZSCORES \
        ON ZSCORE_COURSE = Z_2STUDENT_COURSE AND ZSCORE_STUDENT = Z_4COURSE_STUDENTS
        """) == [["24", "24"]])
    #expect(try rows("PRAGMA integrity_check") == [["ok"]])
    #expect(try rows("PRAGMA auto_vacuum") == [["2"]])
    #expect(try rows("PRAGMA journal_mode") == [["wal"]])
  }

  private func checkTables() throws {
    let columns = [
      "ZCLASSES": ["ZCLASSID INTEGER", "ZCLASSNAMES VARCHAR"],
      "ZCOURSES": ["ZCOURSEID INTEGER", "ZCOURSENAME VARCHAR"],
      "ZSCORES": [
        "ZSCORE FLOAT", "ZSCOREID INTEGER", "ZSCORE_COURSE INTEGER", "ZSCORE_STUDENT INTEGER", "ZSEMESTER VARCHAR",
      ],
      "ZSTUDENTS": [
        "ZSTUDENTDES VARCHAR", "ZSTUDENTID VARCHAR", "ZSTUDENTNAME VARCHAR", "ZSTUDENTPWD VARCHAR",
        "ZSTUDENT_CLASS INTEGER",
      ],
    ]
    let others = [
      "Z_2COURSE_STUDENTS": ["Z_2STUDENT_COURSE INTEGER 1", "Z_4COURSE_STUDENTS INTEGER 2"],
      "Z_METADATA": ["Z_PLIST BLOB 0", "Z_UUID VARCHAR(255) 0", "Z_VERSION INTEGER 1"],
      "Z_MODELCACHE": ["Z_CONTENT BLOB 0"],
      "Z_PRIMARYKEY": ["Z_ENT INTEGER 1", "Z_MAX INTEGER 0", "Z_NAME VARCHAR 0", "Z_SUPER INTEGER 0"],
    ]
    let all = columns.mapValues { columns in
      ["Z_ENT INTEGER 0", "Z_OPT INTEGER 0", "Z_PK INTEGER 1"] + columns.map { "\($0) 0" }
    }.merging(others) { $1 }
    let expected = all.flatMap { table, columns in columns.map { "\(table) \($0)" } }
    #expect(try history.schema().filter { !$0.hasPrefix("CREATE") } == Set(expected))
  }

  private func checkMetadata() throws {
    let line = try #require(try rows("SELECT Z_VERSION, Z_UUID, hex(Z_PLIST) FROM Z_METADATA").first)
    #expect(line[0] == "1")
    #expect(UUID(uuidString: line[1]) != nil)
    let digits = Array(line[2])
    let bytes = try stride(from: 0, to: digits.count, by: 2).map {
      try #require(UInt8(String(digits[$0...($0 + 1)]), radix: 16))
    }
    let list = try #require(
      try PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any])
    #expect(list["NSStoreType"] as? String == "SQLite")
    let hashes = try #require(list["NSStoreModelVersionHashes"] as? [String: Data])
    #expect(hashes.keys.sorted() == ["Classes", "Courses", "Scores", "Students"])
    #expect(Set(hashes.values).count == 4)
  }

  @Test("A full file system is named", .enabled(if: canMount, "nothing can be mounted in a namespace here"))
  func fullDisk() throws {
    // A file system in memory of so many bytes that the tables fit, and the log does not.
    let mount = "mount -t tmpfs -o size=100k none \"${3%/*}\" && \"$@\" 2>&1"
    let shell = Self.shell + [mount, "sh"]
    let (complaint, status) = try Child("students-store", [history.url.path], under: shell).finish()
    #expect(status == 74)
    #expect(complaint.hasPrefix("students-store: no room on the disk for store.db: "), "\(complaint)")
    #expect(complaint.split(separator: "\n").count == 1)
  }

  /// A shell that may mount what only it and the processes that it starts see.
  private static let shell = ["/usr/bin/unshare", "-rm", "sh", "-c"]

  private static var canMount: Bool {
    (try? Child("", [], under: shell + ["mount -t tmpfs none /mnt"]).finish().status) == 0
  }

  private func rows(_ sql: String) throws -> [[String]] { try history.rows(sql) }
}
