import Foundation
import GRDBSQLite
import TestSupport
import Testing

@testable import StorageBackends
@testable import StorageContract
@testable import StorageVerify

/// Compares the queries of backends that answer them natively, by SQL or by hand-kept indexes, with scans of all records.
@Suite struct SQLiteQueryTests {
  private static let configurations = [
    Configuration("sqlite"), Configuration("sqlite", ["statements=fresh"]), Configuration("sqlite", ["columns=json"]),
    Configuration("sqlite", ["connection=per-operation"]), Configuration("sqlite-queue"),
    Configuration("sqlite-queue", ["pool=yes", "decode=codable"]), Configuration("sqlite-queue", ["read=unsafe"]),
    Configuration("lmdb"), Configuration("lmdb", ["ids=uuid4"]),
  ]

  /// Texts that SQL or a binding might misread: wildcards, a NUL, both encodings of é, and code points that are the
  /// last one or are followed by a gap in Unicode.
  private static let texts = [
    "", "a", "A", "ab", "a%", "a_", "a*", "O'Brien", "\0", "a\0", "a\0b", "é", "e\u{301}", "李", "\u{D7FF}",
    "\u{D7FF}x", "\u{E000}", "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}", "a\u{10FFFF}", "b",
    long, long + "a", long + "b", String(repeating: "\0", count: 400), String(repeating: "\0", count: 401),
  ]

  /// A text that is longer than a key of LMDB may be.
  private static let long = String(repeating: "x", count: 600)

  private static let records: [Record] = {
    var dice = SeededRandom(seed: 1)
    return (1...400).map { (number: Int) -> Record in
      Record(
        id: Int64(number * 7_919 % 1_000), name: texts.randomElement(using: &dice)!,
        group: texts.randomElement(using: &dice)!,
        score: number % 17 == 0 ? .nan : number % 19 == 0 ? .infinity : Double(number % 11 - 5),
        modified: number % 23 == 0 ? .nan : Double(number % 13), payload: [UInt8(number % 256)])
    }
  }()

  private static func predicate(_ depth: Int, _ dice: inout SeededRandom) -> RecordPredicate {
    let text = texts.randomElement(using: &dice)!
    switch Int.random(in: 0...(depth > 0 ? 8 : 5), using: &dice) {
    case 0: return .everything
    case 1: return .name(text)
    case 2: return .namePrefix(text)
    case 3: return .group(text)
    case 4:
      let low = Double(Int.random(in: -6...6, using: &dice))
      return .score(low...low + Double(Int.random(in: 0...4, using: &dice)))
    case 5: return .after(name: text, key: Int64.random(in: 0..<1_000, using: &dice))
    case 6: return .not(predicate(depth - 1, &dice))
    case let kind:
      let parts = (0..<Int.random(in: 0...3, using: &dice)).map { _ in predicate(depth - 1, &dice) }
      return kind == 7 ? .and(parts) : .or(parts)
    }
  }

  private static func order(_ dice: inout SeededRandom) -> [RecordOrder] {
    (0..<Int.random(in: 0...2, using: &dice)).map { _ in
      RecordOrder(field: RecordField.allCases.randomElement(using: &dice)!, isDescending: .random(using: &dice))
    }
  }

  @Test(arguments: configurations)
  func queriesFindWhatAScanFinds(_ configuration: Configuration) throws {
    try Subject.with(configuration) { subject in
      let store = try subject.open()
      let odd = CollectionID(1)
      // SQLite's functions cut a text from JSON at its first NUL.
      let records = Self.records.filter {
        configuration.options != ["columns=json"] || !($0.name + $0.group).utf8.contains(0)
      }
      try store.commit(records.flatMap { [.put($0), .put($0, in: odd)] })
      let native = try #require(store as? any Querying)
      let scanned = QueryEmulation(store: store)
      var dice = SeededRandom(seed: 2)
      for isIndexed in [false, true] {
        if isIndexed {
          for field in RecordField.allCases {
            for collection in [.records, odd] { #expect(try native.index(field, in: collection)) }
          }
          #expect(try native.index(.name, in: odd))
        }
        let predicates: [RecordPredicate] = Self.texts.flatMap { [.name($0), .namePrefix($0), .not(.namePrefix($0))] }
        for predicate in predicates + (0..<repetitions(5)).map({ _ in Self.predicate(3, &dice) }) {
          let collection = Bool.random(using: &dice) ? CollectionID.records : odd
          func expectSame<Answer: Equatable>(_ ask: (any Querying) throws -> Answer) throws {
            #expect(try ask(native) == ask(scanned), "\(predicate)")
          }
          try expectSame { try $0.count(predicate, in: collection) }
          try expectSame { try $0.countByGroup(predicate, in: collection) }
          try expectSame { try $0.summary(predicate, in: collection) }
          try expectSame { try $0.summaryByGroup(predicate, in: collection) }
          let order = Self.order(&dice)
          for (limit, offset) in [(nil, 0), (7, 0), (5, 3), (0, 0), (nil, 390)] as [(Int?, Int)] {
            let query = RecordQuery(predicate, sortedBy: order, limit: limit, offset: offset)
            let (found, expected) = (
              try native.records(query, in: collection), try scanned.records(query, in: collection)
            )
            #expect(found.count == expected.count, "\(query)")
            #expect(zip(found, expected).allSatisfy { $0.isIdentical(to: $1) }, "\(query)")
          }
        }
      }
      #expect(throws: StoreError.self) { try native.count(.everything, in: CollectionID(7)) }
      #expect(throws: StoreError.self) { _ = try native.index(.name, in: CollectionID(7)) }
      try store.close()
      // An index persists after its connection is closed.
      let count = try subject.withOpen { try ($0 as? any Querying)?.count(.namePrefix("a"), in: .records) }
      #expect(count ?? 0 > 0)
    }
  }

  /// Statements are cached by shape, so queries of one shape must have the same text.
  @Test func aShapeDecidesTheText() {
    var texts: [SQLiteQuery.Shape: String] = [:]
    var dice = SeededRandom(seed: 3)
    let subjects: [SQLiteQuery.Subject] = [.records, .count, .groupCounts, .scores, .groupScores]
    for _ in 0..<4_000 {
      let order = Self.order(&dice)
      let predicate = Self.predicate(3, &dice)
      let queries =
        subjects.map { SQLiteQuery($0, predicate, in: 0) } + [
          SQLiteQuery(RecordQuery(predicate, sortedBy: order, limit: Bool.random(using: &dice) ? 5 : nil), in: 0)
        ]
      for query in queries {
        let text = query.sql("t", SQLiteKeys(Options()))
        if let known = texts.updateValue(text, forKey: query.shape) { #expect(known == text) }
        var values = 0
        query.forEachValue { _ in values += 1 }
        #expect(text.count { $0 == "?" } == values, "\(text)")
      }
    }
    #expect(texts.count > 300)
  }

  /// A number in JSON is the same number for this program and for SQLite.
  @Test func numbersInJSONAreTheSame() throws {
    try Subject.withStore(Configuration("sqlite", ["columns=json"])) { store in
      var dice = SeededRandom(seed: 4)
      let scores = (0..<2_000).map { _ in Double(bitPattern: dice.next()) }.filter { !$0.isNaN } + [-0.0, 0.1 + 0.2]
      let records = scores.enumerated().map { index, score in
        Record(id: Int64(index), name: "\0\"\\\u{1F}é", group: "", score: score, modified: -score, payload: [])
      }
      try store.commit(records.map { .put($0) })
      #expect(zip(try store.records(.all, in: .records), records).allSatisfy { $0.isIdentical(to: $1) })
      let querying = try #require(store as? any Querying)
      for score in scores {
        #expect(try querying.count(.score(score...score), in: .records) == scores.count { $0 == score }, "\(score)")
      }
    }
  }

  @Test(arguments: [[], ["columns=json"]]) func anIndexIsUsed(texts: [String]) throws {
    let configuration = Configuration("sqlite", texts)
    let keys = SQLiteKeys(try configuration.resolved().options)
    try Subject.withStore(configuration) { store, subject in
      try store.commit(Self.records.map { .put($0) })
      func plan(_ query: RecordQuery) throws -> String {
        let connection = try SQLiteConnection(path: subject.environment().path("store.sqlite"))
        defer { try? connection.close() }
        var sql = SQLiteQuery(query, in: 0).sql("records", keys)
        // The bound values do not affect the plan.
        while let index = sql.firstIndex(of: "?") { sql.replaceSubrange(index...index, with: "'x'") }
        return try #require(connection.plan(sql).first)
      }
      let queries = [
        RecordQuery(.name("a")), RecordQuery(.namePrefix("a"), sortedBy: [.ascending(.name)]),
        RecordQuery(.score(0...1), sortedBy: [.ascending(.score)]),
        RecordQuery(sortedBy: [.ascending(.name)], limit: 20, offset: 40),
        RecordQuery(.after(name: "a", key: 7), sortedBy: [.ascending(.name)], limit: 20),
      ]
      for query in queries { #expect(try plan(query).hasPrefix("SCAN records"), "\(query)") }
      let native = try #require(store as? any Querying)
      for field in [RecordField.name, .score] { _ = try native.index(field, in: .records) }
      for query in queries { #expect(try plan(query).contains("USING INDEX"), "\(query)") }
    }
  }
}

extension SQLiteConnection {
  /// Returns the steps of the query plan of an SQL statement.
  func plan(_ sql: String) throws -> [String] {
    let statement = try prepare("EXPLAIN QUERY PLAN \(sql)")
    defer { sqlite3_finalize(statement) }
    var steps: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW { steps.append(String(cString: sqlite3_column_text(statement, 3))) }
    return steps
  }
}
