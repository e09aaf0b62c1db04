import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Damaged stores: typed errors that name the file and, for damage of one object, its entity and key; no crash, and
/// nothing written.
@Suite struct DamageTests {
  // MARK: - In the tables

  /// A change of a database by another connection, and the words that the error contains.
  struct Damage: Sendable, CustomTestStringConvertible {
    let sql: String
    let words: [String]
    var testDescription: String { sql }

    init(_ sql: String, _ words: String...) { (self.sql, self.words) = (sql, words) }

    /// Damage that is found when the store is opened and read.
    static let whenRead = [
      Damage("DROP TABLE ZSTUDENTS", "ZSTUDENTS"),
      Damage("DROP TABLE Z_METADATA"),
      Damage("DROP TABLE Z_PRIMARYKEY"),
      Damage("DELETE FROM Z_METADATA", "Z_METADATA"),
      Damage("UPDATE Z_METADATA SET Z_UUID = 'me'", "Z_METADATA"),
      Damage("UPDATE Z_METADATA SET Z_PLIST = x'00'", "Z_METADATA"),
      Damage("ALTER TABLE ZSTUDENTS RENAME COLUMN ZSTUDENTDES TO ZOTHER", "ZSTUDENTDES"),
      Damage("ALTER TABLE Z_2COURSE_STUDENTS RENAME TO Z_PAIRS", "Z_2COURSE_STUDENTS"),
      Damage("UPDATE ZCLASSES SET ZCLASSID = 'seven' WHERE Z_PK = 2", "Classes 2", "classId", "'seven'", "integer64"),
      Damage("UPDATE ZSCORES SET ZSCORE = 'good' WHERE Z_PK = 3", "Scores 3", "score", "'good'", "double"),
      Damage("UPDATE ZSTUDENTS SET ZSTUDENTNAME = x'ff' WHERE Z_PK = 4", "Students 4", "studentName", "string"),
      Damage("UPDATE ZSTUDENTS SET ZSTUDENTNAME = CAST(x'ff41' AS TEXT) WHERE Z_PK = 4", "Students 4", "studentName"),
      Damage("UPDATE ZSTUDENTS SET ZSTUDENT_CLASS = 'first' WHERE Z_PK = 5", "Students 5", "student_class"),
      Damage("UPDATE ZSTUDENTS SET Z_PK = -1 WHERE Z_PK = 1", "Students -1"),
      Damage("UPDATE ZSTUDENTS SET Z_OPT = NULL WHERE Z_PK = 2", "Students 2", "version 0"),
      Damage("UPDATE ZSTUDENTS SET Z_OPT = 9223372036854775807 WHERE Z_PK = 2", "Students 2", "version"),
    ]

    /// Damage that is found by the next save that inserts a student.
    static let whenSaved = [
      Damage("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Students'", "Z_PRIMARYKEY", "Students"),
      Damage("UPDATE Z_PRIMARYKEY SET Z_MAX = NULL", "Z_PRIMARYKEY", "Students", "NULL"),
      Damage("UPDATE Z_PRIMARYKEY SET Z_MAX = -5", "Z_PRIMARYKEY", "Students", "-5"),
      Damage("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807", "Z_PRIMARYKEY", "Students"),
      Damage("UPDATE Z_PRIMARYKEY SET Z_MAX = 3", "Z_PRIMARYKEY", "Students 4"),
    ]
  }

  @Test("Damage of the tables is named with entity, key and file", arguments: Damage.whenRead)
  func tables(_ damage: Damage) throws {
    let history = try StoreHistory.school()
    try history.rows(damage.sql)
    try check(damage, history) { _ = try Graph($0) }
  }

  @Test("Keys that cannot be given are named, and nothing is saved", arguments: Damage.whenSaved)
  func keys(_ damage: Damage) throws {
    let history = try StoreHistory.school()
    try history.rows(damage.sql)
    let before = try history.graph()
    // Wrong keys are found before any is taken, a key in use only when it is saved.
    try check(damage, history, isUntouched: !damage.words.contains("Students 4")) { context in
      _ = try context.student("S99")
      defer { #expect(context.insertedObjects.count == 1) }
      try context.save()
    }
    #expect(try history.graph() == before)
  }

  private func check(
    _ damage: Damage, _ history: StoreHistory, isUntouched: Bool = true,
    _ body: (ManagedObjectContext) throws -> Void
  ) throws {
    let before = try Data(contentsOf: history.url)
    let error = try #require(throws: ObjectGraphError.self) { try history.open(School.entities) { try body($0) } }
    let sentence = try #require(error.damage, "\(error)")
    for word in damage.words { #expect(sentence.contains(word), "\(sentence)") }
    if isUntouched { #expect(try Data(contentsOf: history.url) == before) }
  }

  // MARK: - In the bytes

  /// Damages a file at random: changes bytes or bits, cuts off, overwrites or removes a part.
  private func damage(_ bytes: inout Data, _ random: inout SplitMix64) {
    let offset = Int.random(in: 0..<bytes.count, using: &random)
    let length = Int.random(in: 1...min(2_000, bytes.count - offset), using: &random)
    switch Int.random(in: 0..<7, using: &random) {
    case 0: bytes[offset] = .random(in: 0...255, using: &random)
    case 1: bytes[offset] ^= UInt8(1) << Int.random(in: 0..<8, using: &random)
    case 2: bytes.removeSubrange(offset...)
    case 3: bytes.replaceSubrange(offset..<offset + length, with: Data(count: length))
    case 4: for other in offset..<offset + length { bytes[other] = .random(in: 0...255, using: &random) }
    case 5: bytes.removeSubrange(offset..<offset + length)
    // In the structure: a header, the beginning of a page.
    default: bytes[(offset / 4_096 * 4_096 + length % 120) % bytes.count] = .random(in: 0...255, using: &random)
    }
  }

  @Test("Whatever bytes are damaged, a store is read, or refused with a typed error", arguments: StoreHistory.types)
  func bytes(_ type: StoreType) throws {
    let original = try StoreHistory.school(type)
    let sound = try Data(contentsOf: original.url)
    var (refusals, damages) = (0, 0)
    let seeds = repetitions(120)
    for seed in 0..<seeds {
      var random = SplitMix64(seed: UInt64(seed))
      var bytes = sound
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty { damage(&bytes, &random) }
      // A byte may get the value that it has.
      if bytes != sound { damages += 1 }
      let history = try StoreHistory(type)
      try bytes.write(to: history.url)
      do {
        try history.open(School.entities) { context in
          _ = try Graph(context)
          _ = try context.count(for: FetchRequest<Student>(where: Property.any("student_course.courseName") == "Music"))
        }
      } catch let error as ObjectGraphError {
        refusals += 1
        #expect("\(error)".contains("store.db"), "seed \(seed): \(error)")
        #expect(error.damage != nil, "seed \(seed): \(error)")
        #expect(try Data(contentsOf: history.url) == bytes, "seed \(seed)")
      }
      // A save into what can be opened either holds or says why not.
      do {
        try history.open(School.entities) { _ = try $0.savedStudent("S99") }
      } catch let error as ObjectGraphError {
        #expect("\(error)".contains("store.db"), "seed \(seed): \(error)")
      }
    }
    // A file that is written whole has a checksum.
    #expect(damages > seeds * 7 / 8 && (type == .sqlite ? refusals > seeds / 4 : refusals == damages))
  }
}
