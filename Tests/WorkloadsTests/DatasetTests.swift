import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct DatasetTests {
  /// Reads a text as a data set's file.
  private func dataset(_ text: String, kind: String = "csv") throws -> Dataset {
    try dataset(Data(text.utf8), kind: kind)
  }

  private func dataset(_ data: Data, kind: String = "csv") throws -> Dataset {
    let path = NSTemporaryDirectory() + "/dataset-\(UUID().uuidString).\(kind)"
    try data.write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try Dataset(path: path)
  }

  private func refusal(_ text: String, kind: String = "csv") -> String {
    refusal(Data(text.utf8), kind: kind)
  }

  private func refusal(_ data: Data, kind: String = "csv") -> String {
    do {
      _ = try dataset(data, kind: kind)
      return "accepted"
    } catch {
      return String(describing: error)
    }
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

  @Test func theRestBecomesPayload() throws {
    let dataset = try dataset("code,name,kind\nAD-02,Canillo,Parish\nAD-03,Encamp,\n")
    #expect(dataset.record(at: 0).id == 1)
    #expect(dataset.record(at: 1).id == 2)
    #expect(dataset.record(at: 0).name == "Canillo")
    #expect(dataset.record(at: 0).payload == Array("code=AD-02\nkind=Parish".utf8))
    #expect(dataset.record(at: 1).payload == Array("code=AD-03\nkind=".utf8))
    #expect(
      dataset.mapping
        == "id <- the row's number, name <- name, group <- none, score <- none, modified <- none, payload <- none; 2 columns in the payload: code, kind"
    )
  }

  @Test func aHeaderThatIsProbablyNoneMakesOneAsk() throws {
    #expect(try dataset("name,x\nAnna,7\n").question == nil)
    #expect(
      try dataset("Anna,7\nBerg,8\n").question?
        .contains("is called id, name, group, score, modified, payload, so that all of it is in the payload; if")
        == true)
    #expect(try dataset("id;name\n1;Anna\n").question?.contains("separated by semicolons?") == true)
    #expect(try dataset("id\tname\n1\tAnna\n").question?.contains("separated by tabs?") == true)
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

  @Test func byteOrderMarkAndLineEndsOfWindows() throws {
    let dataset = try dataset("\u{FEFF}id,name\r\n1,a\r\n2,b\r\n")
    #expect(dataset.all.map(\.name) == ["a", "b"])
    #expect(dataset.record(at: 0).payload.isEmpty)
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
    ("a,b\n1,2\n3\n", "line 3: 1 fields where the header has 2"),
    ("a,b\n1,2,3\n", "line 2: 3 fields where the header has 2"),
    ("id,a\n1,x\n\"2\",\"two\nlines\"\n1,y\n", "line 5: id 1 is already that of line 2"),
    ("id\n1\nx2\n", "line 3: the id 'x2' is not an integer"),
    ("id\n1\n2.0\n", "line 3: the id '2.0' is not an integer"),
    ("id\n9223372036854775808\n", "line 2: the id '9223372036854775808' is not an integer"),
    ("name,score\na,1\nb,much\n", "line 3: the score 'much' is not a number"),
    ("modified\nyesterday\n", "line 2: 'yesterday' is not a moment"),
    ("a,b,a\n1,2,3\n", "line 1: column 'a' is there twice"),
    ("a\n\"open\n", "line 2: this quote is never closed"),
    ("id,name\n", "has no rows"),
    ("\n\n", "has no rows"),
    ("", "is empty"),
  ])
  func refusals(text: String, part: String) {
    let refusal = refusal(text)
    #expect(refusal.contains(part), "\(refusal)")
    #expect(!refusal.contains("\n"))
  }

  @Test(arguments: [
    ("{\"id\": 1}\n[1]\n", "line 2: this is not a JSON object"),
    ("{\"id\": 1}\n\n{\"id\": \n", "line 3: this is not a JSON object"),
    ("{\"id\": 1}\n{\"name\": \"x\"}\n", "line 2: there is no id, but other rows have one"),
    ("{\"id\": 1}\n{\"id\": 1}\n", "line 2: id 1 is already that of line 1"),
    ("{\"id\": \"x\"}\n", "line 1: the id 'x' is not an integer"),
    ("\n", "has no rows"),
  ])
  func refusalsOfJSON(text: String, part: String) {
    let refusal = refusal(text, kind: "jsonl")
    #expect(refusal.contains(part), "\(refusal)")
  }

  @Test func bytesThatAreNotUTF8() {
    let refusal = refusal(Data("id,name\n1,a\n2,".utf8) + Data([0xE9, 0x0A]))
    #expect(refusal.contains("line 3: this is not UTF-8"), "\(refusal)")
  }

  @Test func filesThatCannotBeRead() throws {
    let missing = #expect(throws: UsageError.self) { try Dataset(path: "/nowhere/to/be/found.csv") }
    #expect(missing?.description.contains("/nowhere/to/be/found.csv does not exist") == true)
    let directory = #expect(throws: UsageError.self) { try Dataset(path: NSTemporaryDirectory()) }
    #expect(directory?.description.contains("is a directory") == true)
    #expect(refusal("id\n1\n", kind: "txt").contains("is of no known kind"))
  }
}
