@testable import StorageReport
import Testing

@Suite struct NumberFormatTests {
  @Test func `times have two or three digits and a unit`() {
    let expected = [
      (0.0, "0 ns"), (31, "31 ns"), (2.5, "2.5 ns"), (999, "999 ns"), (999.6, "1.0 µs"), (253_000, "253 µs"),
      (999_700, "1.0 ms"), (2_700_000, "2.7 ms"), (9_960_000, "10 ms"), (1.4e9, "1.4 s"), (61e9, "61 s"),
    ]
    for (number, text) in expected { #expect(NumberFormat.time(number) == text) }
  }

  @Test func `sizes, ratios and counts`() {
    #expect(
      [0, 108, 12_600, 2_520_000, 3e12].map(NumberFormat.bytes) == ["0 B", "108 B", "13 kB", "2.5 MB", "3.0 TB"])
    #expect([0, 0.5, 1, 3.14, 38.2, 1834].map(NumberFormat.ratio) == ["0×", "0.50×", "1.0×", "3.1×", "38×", "1,800×"])
    #expect(NumberFormat.ratio(3.1, low: 2.9, high: 3.4) == "3.1× (2.9-3.4)")
    #expect(NumberFormat.ratio(3.13, low: 3.11, high: 3.14) == "3.13× (3.11-3.14)")
    #expect(NumberFormat.ratio(16.1, low: 15.9, high: 16.3) == "16.1× (15.9-16.3)")
    #expect(NumberFormat.ratio(1.26, low: 1.2, high: 1.304) == "1.26× (1.20-1.30)")
    #expect(
      [0, 0.001, 0.0123, 1, 1.5, 4, 12.4].map(NumberFormat.perOperation) == [
        "0", "<0.01", "0.01", "1", "1.5", "4", "12",
      ])
    #expect([7, 652, 5044, 123_456].map(NumberFormat.about) == ["~7", "~650", "~5,000", "~120,000"])
    #expect([100, 1000, 1500, 2_000_000].map(NumberFormat.short) == ["100", "1k", "1500", "2M"])
    #expect([3.26, 143_988, 2.9e7].map(NumberFormat.rate) == ["3.3", "143,988", "29M"])
    #expect([0.004, 0.04, 0.12].map(NumberFormat.plusMinus) == ["±0.4 %", "±4 %", "±12 %"])
  }

  @Test func `numbers for machines are short and exact to three decimals`() {
    #expect([0, 253, 1010.5, 0.1 + 0.2, 1e9].map(NumberFormat.plain) == ["0", "253", "1010.5", "0.3", "1000000000"])
  }
}

@Suite struct TerminalWriterTests {
  private func lines(_ tables: [Table], width: Int) -> [String] {
    let section = changed(Section(id: "s", title: "not shown")) { $0.tables = tables }
    return TerminalWriter.text(Document(title: "not shown", sections: [section]), width: width)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  private func table(_ columns: [Table.Column], _ rows: [[String]]) -> Table {
    Table("", columns, rows.map { $0.map { .init(RichText($0)) } })
  }

  @Test func `columns that do not fit go below, with the first one again`() {
    let table = table(
      [.words(""), .number("one"), .number("two"), .words("words")],
      [["a", "1", "22", "xyz"], ["bb", "333", "4", "z"]])
    #expect(lines([table], width: 100) == ["    one  two  words", "a     1   22  xyz", "bb  333    4  z"])
    #expect(
      lines([table], width: 12) == [
        "    one  two", "a     1   22", "bb  333    4", "", "    words", "a   xyz", "bb  z",
      ])
  }

  @Test func `optional columns go first, then long names wrap between options`() {
    let table = table(
      [.words(""), .number("100"), .init(title: "1,000", isNumber: true, isOptional: true), .number("10,000")],
      [["sqlite:journal=delete:statements=fresh", "1", "2", "3"], ["plist", "4", "5", "6"]])
    #expect(lines([table], width: 60)[0].contains("1,000  "))
    #expect(
      lines([table], width: 26) == [
        "         100  10,000", "sqlite:    1       3", "  journal=delete:", "  statements=fresh",
        "plist      4       6",
      ])
  }

  @Test func `a last column of words goes on below itself`() {
    let table = table(
      [.words("commit"), .number("n"), .words("subject")],
      [["a1", "12", "one word and another one"], ["b2", "3", "short"]])
    #expect(
      lines([table], width: 32) == [
        "commit   n  subject", "a1      12  one word and another", "            one", "b2       3  short",
      ])
  }

  @Test func `sentences fill lines and keep what is strong`() {
    let section = changed(Section(id: "s", title: "")) { $0.lead = ["\(strong: "aa bb") cc\(code: "dd")"] }
    let document = Document(title: "", sections: [section])
    #expect(TerminalWriter.text(document, width: 5) == "aa bb\n  ccdd\n")
    let bold = { (text: String) in "\u{1B}[1m\(text)\u{1B}[0m" }
    #expect(TerminalWriter.text(document, width: 5, style: .coloured) == "\(bold("aa")) \(bold("bb"))\n  ccdd\n")
  }

  @Test func `what failed is red where there are colours, and the answer comes last`() {
    let answer = changed(Section(id: "answer", title: "")) { ($0.isAnswer, $0.lead) = (true, ["Take it."]) }
    let table = Table("", [.words("a"), .words("b")], [[.init("x"), .init("FAILED", kind: .failed)]])
    let other = changed(Section(id: "other", title: "")) { $0.tables = [table] }
    let document = Document(title: "", sections: [answer, other])
    #expect(TerminalWriter.text(document) == "a  b\nx  FAILED\n\nTake it.\n")
    #expect(TerminalWriter.text(document, style: .coloured).contains("\u{1B}[31mFAILED\u{1B}[0m"))
  }

  @Test func `what another medium shows is left out`() {
    var section = Section(id: "s", title: "")
    section.lists = [
      .init(title: "page", items: ["p"], media: .page), .init(title: "screen", items: ["t"], media: .terminal),
    ]
    let document = Document(title: "", sections: [section])
    #expect(TerminalWriter.text(document) == "screen\nt\n")
    #expect(!MarkdownFormat.text(document).contains("screen"))
    #expect(!HTMLFormat.text(document).contains(">screen<"))
    #expect(HTMLFormat.text(document).contains(">page<"))
  }
}
