import Foundation
import StorageContract
import Testing
import TestSupport

@testable import StorageWorkloads

@Suite struct DatasetTests {
  /// Reads a text as the file of a data set.
  @discardableResult
  private func dataset(_ text: String, kind: String = "csv", map: [String] = []) throws -> Dataset {
    try dataset(Data(text.utf8), kind: kind, map: map)
  }

  private func dataset(_ data: Data, kind: String = "csv", map: [String] = []) throws -> Dataset {
    let path = NSTemporaryDirectory() + "/dataset-\(UUID().uuidString).\(kind)"
    try data.write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try Dataset(path: path, map: map)
  }

  /// Expects a refusal that has all parts, and returns it.
  @discardableResult
  private func expectRefusal(with parts: String..., of read: () throws -> Dataset) -> String {
    let refusal = #expect(throws: UsageError.self, performing: read)?.description ?? "accepted"
    for part in parts { #expect(refusal.contains(part), "\(refusal)") }
    return refusal
  }

  @Test func columnsFillTheFieldsOfTheirNames() throws {
    let dataset = try dataset(
      """
      name,id,group,score,modified,payload
      Anna,7,north,2.5,12.25,xyz
      "Berg, B",3,süd,,2001-01-01T00:01:00Z,
      """)
    #expect(dataset.count == 2)
    let (first, second) = (dataset.record(at: 0), dataset.record(at: 1))
    #expect(
      first.isIdentical(
        to: Record(id: 3, name: "Berg, B", group: "süd", score: 0, modified: 60, payload: [])))
    #expect(
      second.isIdentical(
        to: Record(id: 7, name: "Anna", group: "north", score: 2.5, modified: 12.25, payload: Array("xyz".utf8))))
    #expect(dataset.recordBytes == 1)
    #expect(
      dataset.mapping
        == "id <- id, name <- name, group <- group, score <- score, modified <- modified, payload <- payload")
  }

  @Test func `lines of other columns follow the payload`() throws {
    let dataset = try dataset("payload,kind,code\nxyz,Parish,1\n,Town,2\n")
    #expect(dataset.record(at: 0).payload == Array("xyz\nkind=Parish\ncode=1".utf8))
    #expect(dataset.record(at: 1).payload == Array("kind=Town\ncode=2".utf8))
  }

  @Test func rowsWithUUIDsAreNumbered() throws {
    let dataset = try dataset(
      "id,name\n550e8400-e29b-41d4-a716-446655440001,B\n550e8400-e29b-41d4-a716-446655440000,A\n")
    #expect((0..<2).map { dataset.record(at: $0).name } == ["B", "A"])
    #expect((0..<2).map { dataset.record(at: $0).id } == [1, 2])
    #expect(dataset.mapping.hasPrefix("id <- the row's number, for the UUID in id, name <- name"))
  }

  @Test func theRestBecomesPayload() throws {
    let dataset = try dataset("code,name,kind\nAD-02,Canillo,Parish\nAD-03,Encamp,\n")
    #expect(dataset.record(at: 0).id == 1)
    #expect(dataset.record(at: 1).id == 2)
    #expect(dataset.record(at: 0).name == "Canillo")
    #expect(dataset.record(at: 0).payload == Array("code=AD-02\nkind=Parish".utf8))
    #expect(dataset.record(at: 1).payload == Array("code=AD-03\nkind=".utf8))
    #expect(
      dataset.mapping
        == "id <- the row's number, name <- name, group <- none, score <- none, modified <- none; 2 columns in the payload: code, kind"
    )
  }

  @Test func aHeaderThatIsProbablyNoneMakesOneAsk() throws {
    #expect(try dataset("name,x\nAnna,7\n").question == nil)
    #expect(
      try dataset("Anna,7\nBerg,8\n").question?
        .contains("is called id, name, group, score, modified, payload, so that all of it is in the payload; if")
        == true)
    // JSON has no separators.
    #expect(try dataset("{\"name\": \"Anna\", \"a;b\": 1}\n", kind: "jsonl").question == nil)
  }

  @Test func linesOfJSONAreRowsToo() throws {
    let dataset = try dataset(
      """
      {"id": 5, "name": "a", "score": 1.5, "tags": ["x", "y"], "alive": null}

      {"id": -2, "name": "b", "modified": "2001-01-02"}
      """, kind: "jsonl")
    #expect((0..<2).map { dataset.key(at: $0) } == [-2, 5])
    #expect(dataset.record(at: 0).modified == 86_400)
    #expect(dataset.record(at: 1).score == 1.5)
    #expect(dataset.record(at: 1).payload == Array("alive=\ntags=[\"x\",\"y\"]".utf8))
  }

  @Test func keysAreFoundAgain() throws {
    let dataset = try dataset("id\n30\n-10\n20\n")
    #expect(dataset.all.map(\.id) == [-10, 20, 30])
    #expect([-10, 20, 30, 0, 31].map { dataset.index(of: $0) } == [0, 1, 2, nil, nil])
    #expect(dataset.unusedKey(0) == 31)
  }

  @Test func theHashIsOfTheRecordsAndNotOfTheirOrder() throws {
    let hash = try dataset("id,name\n1,a\n2,b\n").hash
    #expect(try dataset("id,name\n2,b\n1,a\n").hash == hash)
    #expect(try dataset("id,name\n1,a\n2,c\n").hash != hash)
  }

  @Test(arguments: [
    ("a,b\n1,2\n3\n", "line 3, column 2: 1 field but the header has 2"),
    ("a,b\n1,2,3\n", "line 2, column 3: 3 fields but the header has 2"),
    ("id,a\n1,x\n\"2\",\"two\nlines\"\n1,y\n", "line 5, column 'id': id 1 is also on line 2"),
    (
      "id\n550E8400-E29B-41D4-A716-446655440000\n550e8400-e29b-41d4-a716-446655440000\n",
      "line 3, column 'id': id 550E8400-E29B-41D4-A716-446655440000 is also on line 2"
    ),
    ("id\n550e8400-e29b-41d4-a716-446655440000\n7\n", "line 3, column 'id': the id '7' is not a UUID"),
    ("id\n007\n7\n", "line 3, column 'id': id 7 is also on line 2"),
    ("id\n1\nx2\n", "line 3, column 'id': the id 'x2' is not an integer"),
    ("id\n1\n2.0\n", "line 3, column 'id': the id '2.0' is not an integer"),
    ("id\n9223372036854775808\n", "line 2, column 'id': the id '9223372036854775808' is not an integer"),
    ("name,score\na,1\nb,much\n", "line 3, column 'score': 'much' is not a number"),
    ("name,score\na,\"1,50\"\n", "line 2, column 'score': '1,50' is not a number"),
    ("score\n0x10\n", "line 2, column 'score': '0x10' is not a number"),
    ("score\n 1\n", "line 2, column 'score': ' 1' is not a number"),
    ("score\n1e400\n", "line 2, column 'score': '1e400' is larger than the largest number"),
    ("a,b,a\n1,2,3\n", "line 1, column 3: column 'a' occurs twice"),
    ("a\n\"open\n", "line 2, column 1: this quote is never closed"),
    ("id\r1\r2\r", "line 1, column 1: a carriage return ends a line alone"),
    ("name\na\u{1B}\nb,\u{1B}\n", "line 3, column 2: 2 fields but the header has 1"),
    ("score\n\u{1B}[2J\n", "line 2, column 'score': '\\u{1B}[2J' is not a number"),
    ("id,name\n", "has no rows"),
    ("\n\n", "has no rows"),
    ("", "is empty"),
    ("{\"id\": 1}\n[1]\n", "line 2, column 1: this is not a JSON object"),
    ("{\"id\": 1}\n\n{\"id\": \n", "line 3, column 1: this is not a JSON object"),
    ("{\"id\": 1}\n{\"score\": -Infinity}\n", "line 2, column 1: JSON has no NaN and no Infinity; write null for them"),
    ("{\"id\": 1}\n{\"name\": \"x\"}\n", "line 2, column 'id': the row has no id, although this column gives the ids"),
    ("{\"id\": 1}\n{\"id\": 1}\n", "line 2, column 'id': id 1 is also on line 1"),
    ("{\"id\": \"x\"}\n", "line 1, column 'id': the id 'x' is not an integer"),
    ("{\"id\": 1}\r{\"id\": 2}\r", "line 1, column 1: a carriage return ends a line alone"),
    ("{\"name\": 1}\n{\"score\": \"NaN\"}\n", "line 2, column 'score': 'NaN' is not a finite number"),
  ])
  func refusals(text: String, part: String) {
    let refusal = expectRefusal(with: part) { try dataset(text, kind: text.hasPrefix("{") ? "jsonl" : "csv") }
    #expect(!refusal.contains("\n"))
  }

  @Test(arguments: ["nan", "NaN", "-nan", "inf", "-inf", "Infinity", "+infinity"], ["score", "modified"])
  func numbersThatAreNotFinite(text: String, field: String) {
    for (file, kind) in [("name,\(field)\na,\(text)\n", "csv"), ("{\"\(field)\": \"\(text)\"}\n", "jsonl")] {
      expectRefusal(with: "line \(kind == "csv" ? 2 : 1), column '\(field)': '\(text)'") {
        try dataset(file, kind: kind)
      }
    }
  }

  // MARK: - Dates

  @Test(
    arguments: [
      ("2001-01-01", 0), ("2001-01-02", 86_400), ("2000-02-29", -26_524_800), ("2026-01-31T12:00:00Z", 791_553_600),
      ("2026-01-31 12:00:00Z", 791_553_600), ("2026-01-31T13:30:00+01:30", 791_553_600),
      ("2026-01-31 07:00:00-0500", 791_553_600), ("2026-01-31 13:00:00+01", 791_553_600),
      ("2026-01-31T12:00Z", 791_553_600), ("2026-01-31T12:00:00.25Z", 791_553_600.25),
      ("1970-01-01T00:00:00Z", -978_307_200), ("", 0),
    ] as [(String, Double)])
  func dates(text: String, seconds: Double) throws {
    #expect(try dataset("name,modified\na,\(text)\n").record(at: 0).modified == seconds)
    #expect(try dataset("{\"modified\": \"\(text)\"}", kind: "jsonl").record(at: 0).modified == seconds)
    #expect(try dataset("name,at\na,\(text)\n", map: ["modified=at"]).record(at: 0).modified == seconds)
  }

  @Test func everyDayIsThatOfFoundation() throws {
    for day in stride(from: -150_000, to: 150_000, by: 97) {
      let date = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
      let text = date.formatted(.iso8601.year().month().day())
      #expect(try ISODate.read(text) == Double(day) * 86_400, "\(text)")
    }
  }

  @Test(arguments: [
    "2026-03-23 20:21:09", "2026-03-23T20:21:09", "2026-03-23 rubbish", "2026-02-31", "2025-02-29", "1900-02-29",
    "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z", "2026-01-31T12:00:61Z",
    "2026-01-31T12:00:00Zx", "2026-01-31T12:00:00+", "2026-01-31T12:00:00+01:", "2026-1-3", "23.03.2026", "03/23/2026",
    "yesterday", "2026-01-31T12:00:00.Z", "2026-01-31 ", " 2026-01-31", "2026-01-31T", "٢٠٢٦-01-31", "26-01-31",
  ])
  func datesThatAreRefused(text: String) {
    for (file, kind, line, map) in [
      ("name,modified\na,2026-01-31\nb,\(text)\n", "csv", "line 3, column 'modified'", []),
      ("{\"modified\": \"\(text)\"}\n", "jsonl", "line 1, column 'modified'", []),
      ("name,at\na,\(text)\n", "csv", "line 2, column 'at'", ["modified=at:unix"]),
    ] as [(String, String, String, [String])] {
      expectRefusal(with: "\(line): '\(text)'", "2026-01-31T12:00:00Z") { try dataset(file, kind: kind, map: map) }
    }
  }

  @Test(
    arguments: [
      // Plausible only as seconds since 2001, or only as seconds since 1970.
      ([12.25], [12.25]), ([600_000_000, -300_000_000], [600_000_000, -300_000_000]),
      ([4_000_000_000], [3_021_692_800]),
      // One number decides for all of them; 0 stands for no date.
      ([1_000_000_000, 4_000_000_000], [21_692_800, 3_021_692_800]), ([0, 100], [0, 100]), ([0], [0]),
      ([0, 4_000_000_000], [0, 3_021_692_800]),
    ] as [([Double], [Double])])
  func numbersWithOnePlausibleReading(numbers: [Double], seconds: [Double]) throws {
    let dataset = try dataset("modified\n" + numbers.map { "\($0)\n" }.joined())
    #expect(dataset.all.map(\.modified) == seconds)
  }

  @Test(arguments: [
    ("1770000000", "could be seconds since 1970 or seconds since 2001"),
    ("790000000", "could be seconds since 1970 or seconds since 2001"),
    ("1770000000000", "could be milliseconds since 1970"),
    ("9e15", "could be no date between 1990 and 2100"),
    ("2026", "looks like a day or a year"), ("20260131", "looks like a day or a year"),
  ])
  func numbersThatMakeOneAsk(number: String, part: String) throws {
    for (file, kind, line) in [
      ("name,modified\na,\n,\(number)\n", "csv", 3), ("{\"modified\": \"\(number)\"}\n", "jsonl", 1),
    ] {
      let start = "line \(line), column 'modified': the number "
      expectRefusal(with: start, part, "--map 'modified=modified:unix'") { try dataset(file, kind: kind) }
    }
    let value = try #require(Double(number))
    for (unit, seconds) in [("unix", value - 978_307_200), ("apple", value), ("ms", value / 1_000 - 978_307_200)] {
      let dataset = try dataset("modified\n\(number)\n", map: ["modified=modified:\(unit)"])
      #expect(dataset.record(at: 0).modified == seconds)
    }
  }

  // MARK: - Shapes

  @Test(
    arguments: [
      ([0x1F, 0x8B, 8, 0], "csv", "gunzip"), ([0x50, 0x4B, 3, 4], "xlsx", "save the table as CSV"),
      ([0x50, 0x4B, 3, 4], "csv", "save the table as CSV"), ([0xFF, 0xFE, 0x69, 0], "csv", "iconv -f UTF-16"),
      ([0xFE, 0xFF, 0, 0x69], "jsonl", "iconv -f UTF-16"), ([0x69, 0, 0x64, 0], "csv", "iconv -f UTF-16LE"),
      ([0, 0x69, 0, 0x64], "csv", "iconv -f UTF-16BE"), ([0x28, 0xB5, 0x2F, 0xFD], "jsonl", "zstd -d"),
      (Array("SQLite format 3\0".utf8), "db", "sqlite3"), (Array("[{}]".utf8), "json", "jq -c"),
      (Array("id;name;price\n1;Brot;1,50\n".utf8), "csv", "line 1: the header is separated by semicolons"),
      (Array("\"a,b\";name\n".utf8), "csv", "separated by semicolons"),
      (Array("id\tname\n".utf8), "csv", "separated by tabs"), (Array("id\tname\n".utf8), "tsv", "separated by tabs"),
      (Array("id|name\n".utf8), "csv", "separated by vertical bars"),
      (Array("id,name\n1,a\n2,".utf8) + [0xE9, 0x0A], "csv", "line 3, column 3: this is not UTF-8"),
    ] as [([UInt8], String, String)])
  func otherFormats(bytes: [UInt8], kind: String, part: String) {
    expectRefusal(with: part) { try dataset(Data(bytes), kind: kind) }
  }

  @Test(arguments: ["csv", "CSV", "Csv", "jsonl", "JSONL", "ndjson"], ["\n", "\r\n"])
  func lineEndsAndKinds(kind: String, end: String) throws {
    let isCSV = kind.lowercased() == "csv"
    let text =
      isCSV
      ? "id,name\(end)1,a\(end)\(end)2,\"b\(end)c\""
      : "{\"id\": 1, \"name\": \"a\"}\(end)\(end){\"id\": 2, \"name\": \"b\"}\(end)"
    for mark in ["", "\u{FEFF}"] {
      let dataset = try dataset(mark + text, kind: kind)
      #expect(dataset.all.map(\.name) == ["a", isCSV ? "b\(end)c" : "b"])
      #expect(dataset.record(at: 0).payload.isEmpty)
    }
  }

  @Test(arguments: [
    ("ID,name", "--map 'id=ID'"), ("name, Score", "--map 'score= Score'"), ("title,x", "--map 'name=title'"),
    ("Group ,name", "--map 'group=Group '"), ("updated_at,Name", "--map 'name=Name' --map 'modified=updated_at'"),
    ("Last Modified,name", "--map 'modified=Last Modified'"), ("it's data,data,Data", "--map 'payload=data'"),
  ])
  func headersThatMakeOneAsk(header: String, answer: String) throws {
    let row = header.split(separator: ",").map { _ in "1" }.joined(separator: ",")
    expectRefusal(with: "line 1", answer) { try dataset("\(header)\n\(row)\n") }
  }

  @Test func answersFillFields() throws {
    let text = "ID,title,name,Score\n7,a,b,2\n"
    let mapped = try dataset(text, map: ["id=ID", "name=title", "score=Score"])
    #expect(
      mapped.record(at: 0).isIdentical(
        to: Record(id: 7, name: "a", group: "", score: 2, modified: 0, payload: Array("name=b".utf8))))
    #expect(mapped.mapping.hasPrefix("id <- ID, name <- title, group <- none, score <- Score,"))
    let unmapped = try dataset(text, map: ["id=", "score="])
    #expect(unmapped.record(at: 0).payload == Array("ID=7\ntitle=a\nScore=2".utf8))
    let lines = try dataset("{\"Title\": \"a\"}\n{\"x\": 1}\n", kind: "jsonl", map: ["name=Title"])
    #expect(lines.all.map(\.name) == ["a", ""])
    #expect(try dataset("a:unix\n2026-01-31\n", map: ["modified=a:unix"]).record(at: 0).modified == 791_510_400)
  }

  @Test(arguments: [
    ("title", "has no '='"), ("nam=title", "unknown field 'nam'; the nearest is 'name'"),
    ("name=titel", "unknown column 'titel'"), ("modified=title:seconds", "unknown column 'title:seconds'"),
  ])
  func answersThatCannotBeUsed(answer: String, part: String) {
    expectRefusal(with: part) { try dataset("title,x\na,b\n", map: [answer]) }
  }

  // MARK: - Values that a backend does not keep

  @Test func equalValuesAreStoredInOneForm() throws {
    let records = try dataset("name,group,score\né.pdf,é.pdf,-0\ne\u{301}.pdf,x,0\ne\u{301},e\u{301},-0.0\n")
    let equal = [Deviation(.equalTexts, "x"), Deviation(.equalZeros, "x")]
    let kept = KeptRecords(records, despite: equal)
    #expect(kept.records.all.map { Array($0.name.unicodeScalars).count } == [5, 5, 2])
    #expect(kept.records.all.allSatisfy { $0.score.sign == .plus })
    #expect(kept.note == "1 text stored in the Unicode form of an equal one, 0 stored for -0 in 2 fields")
    #expect(KeptRecords(records, despite: [Deviation(.minusZero, "x")]).note == "0 stored for -0 in 2 fields")
    #expect(KeptRecords(records, despite: []).note == nil)
    let named = RecordList([Record(id: 1, name: "a\0b", group: "g", score: 0, modified: 0, payload: [])])
    let cut = KeptRecords(named, despite: [Deviation(.cutTexts, "x")])
    #expect(cut.records.record(at: 0).name == "a" && cut.note == "1 text stored up to a NUL")
    #expect(KeptRecords(records, despite: [Deviation(.fullDisk, "x")]).records.record(at: 0).score.sign == .minus)
  }

  /// Eight times the columns take about eight times the work. A search by each column's name would take 64 times.
  @Test(arguments: ["csv", "jsonl"]) func readingWideFilesIsLinear(kind: String) throws {
    func file(_ columns: Int) -> String {
      let names = (0..<columns).map { "column \($0)" }
      if kind == "jsonl" {
        let object = "{\(names.map { "\"\($0)\": 1" }.joined(separator: ", "))}\n"
        return String(repeating: object, count: 100)
      }
      return "\(names.joined(separator: ","))\n"
        + String(repeating: "\(names.map { _ in "1" }.joined(separator: ","))\n", count: 100)
    }
    let (narrow, wide) = (file(50), file(400))
    let ratio = try WorkGrowth.ratio(enough: 24) {
      try dataset(narrow, kind: kind)
    } to: {
      try dataset(wide, kind: kind)
    }
    #expect(ratio < 24, "\(ratio)")
  }

  @Test func filesThatCannotBeRead() throws {
    expectRefusal(with: "/nowhere/to/be/found.csv does not exist") { try Dataset(path: "/nowhere/to/be/found.csv") }
    expectRefusal(with: "is a directory") { try Dataset(path: NSTemporaryDirectory()) }
    expectRefusal(with: "is of no known kind") { try dataset("id\n1\n", kind: "txt") }
    expectRefusal(with: "has no rows") { try dataset("\n", kind: "jsonl") }
  }
}
