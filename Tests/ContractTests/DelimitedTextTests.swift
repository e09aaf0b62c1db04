import StorageContract
import Testing

@Suite struct DelimitedTextTests {
  private func fields(_ text: String) throws -> [[String]] { try DelimitedText.rows(text, file: "f.csv").map(\.fields) }

  private func lines(_ text: String) throws -> [Int] { try DelimitedText.rows(text, file: "f.csv").map(\.line) }

  @Test(
    arguments: [
      ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
      ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
      ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
      ("a\r\n\r\nb\r\n", [["a"], ["b"]]),
      ("\n\na\n\n", [["a"]]),
      ("a,\n,b\n,\n", [["a", ""], ["", "b"], ["", ""]]),
      ("\"a,b\",c", [["a,b", "c"]]),
      ("\"say \"\"hi\"\"\",x", [["say \"hi\"", "x"]]),
      ("\"\"\"\"", [["\""]]),
      ("\"\"\n", [[""]]),
      ("\"\",\"\"", [["", ""]]),
      ("\"two\nlines\",x\n", [["two\nlines", "x"]]),
      ("\"two\r\nlines\"\r\n", [["two\r\nlines"]]),
      ("ab\"c,d\n", [["ab\"c", "d"]]),
      ("\"a\rb\",c\n", [["a\rb", "c"]]),
      ("\u{FEFF}a,b\n", [["\u{FEFF}a", "b"]]),
      ("a\r", [["a"]]),
      ("\"a\"\r\n\"\"\r\n", [["a"], [""]]),
      ("\"a\"\"\r\n\"\"b\"", [["a\"\r\n\"b"]]),
      ("a,b,\n", [["a", "b", ""]]),
      ("a\0b\n", [["a\0b"]]),
      ("naïve,日本\n", [["naïve", "日本"]]),
      ("", []),
      ("\n", []),
    ] as [(String, [[String]])])
  func rows(text: String, expected: [[String]]) throws {
    #expect(try fields(text) == expected)
  }

  @Test(
    arguments: [
      ("a\nb\nc", [1, 2, 3]),
      ("a\r\nb\r\nc\r\n", [1, 2, 3]),
      ("a\n\n\nb\n", [1, 4]),
      // A row has the number of its first line, even if its fields contain line breaks.
      ("a\n\"1\n2\n3\",x\nb\n", [1, 2, 5]),
    ] as [(String, [Int])])
  func lineNumbers(text: String, expected: [Int]) throws {
    #expect(try lines(text) == expected)
  }

  @Test(arguments: [
    ("a,b\n1,\"open\nand on\n", "line 2, column 2: this quote is never closed"),
    ("a\n\"x\ny\"\n\"open", "line 4, column 1: this quote is never closed"),
    ("a,b\n\"1\"2,x\n", "line 2, column 1: text follows a closing quote"),
    ("a,b\n1,x\ry\n", "line 2, column 2: a carriage return ends a line alone"),
  ])
  func refusals(text: String, part: String) {
    let error = #expect(throws: UsageError.self) { try fields(text) }
    #expect(error?.description.hasPrefix("f.csv, \(part)") == true, "\(error?.description ?? "")")
  }
}
