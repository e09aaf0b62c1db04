import StorageContract
@testable import StorageReport
import Testing

@Suite struct NumberFormatTests {
  @Test func `times have two or three digits and a unit`() {
    let expected = [
      (0.0, "0 ns"), (31, "31 ns"), (2.5, "2.5 ns"), (999, "999 ns"), (999.6, "1.0 us"), (253_000, "253 us"),
      (999_700, "1.0 ms"), (2_700_000, "2.7 ms"), (9_960_000, "10 ms"), (1.4e9, "1.4 s"), (61e9, "61 s"),
    ]
    for (number, text) in expected { #expect(NumberFormat.time(number) == text) }
  }

  @Test func `sizes, ratios and counts`() {
    #expect(
      [0, 108, 12_600, 2_520_000, 3e12].map(NumberFormat.bytes) == ["0 B", "108 B", "13 kB", "2.5 MB", "3.0 TB"])
    #expect(
      [0, 0.5, 1, 3.14, 38.2, 1834].map(NumberFormat.ratio) == ["0x", "0.50x", "1.0x", "3.1x", "38x", "1,800x"])
    #expect(NumberFormat.ratio(3.1, low: 2.9, high: 3.4) == "3.1x (2.9-3.4)")
    #expect(NumberFormat.ratio(3.13, low: 3.11, high: 3.14) == "3.13x (3.11-3.14)")
    #expect(NumberFormat.ratio(16.1, low: 15.9, high: 16.3) == "16.1x (15.9-16.3)")
    #expect(NumberFormat.ratio(1.26, low: 1.2, high: 1.304) == "1.26x (1.20-1.30)")
    #expect(
      [0, 0.001, 0.0123, 1, 1.5, 4, 12.4].map(NumberFormat.perOperation) == [
        "0", "<0.01", "0.01", "1", "1.5", "4", "12",
      ])
    #expect([7, 652, 5044, 123_456].map(NumberFormat.about) == ["~7", "~650", "~5,000", "~120,000"])
    #expect([100, 1000, 1500, 2_000_000].map(NumberFormat.short) == ["100", "1k", "1500", "2M"])
    #expect([3.26, 143_988, 2.9e7].map(NumberFormat.rate) == ["3.3", "143,988", "29M"])
    #expect([0.004, 0.04, 0.12].map(NumberFormat.plusMinus) == ["+-0.4 %", "+-4 %", "+-12 %"])
  }

  @Test func `numbers for machines are short and exact to three decimals`() {
    #expect(
      [0, 253, 1010.5, 0.1 + 0.2, 1e9].map(NumberFormat.plain) == ["0", "253", "1010.5", "0.3", "1000000000"])
  }
}

@Suite struct TerminalTableTests {
  @Test func `columns that do not fit go below, with the first one again`() {
    let table = TerminalTable(
      columns: [("", .left), ("one", .right), ("two", .right), ("words", .left)],
      rows: [["a", "1", "22", "xyz"], ["bb", "333", "4", "z"]])
    #expect(table.lines(width: 100) == ["    one  two  words", "a     1   22  xyz", "bb  333    4  z"])
    #expect(
      table.lines(width: 12) == [
        "    one  two", "a     1   22", "bb  333    4", "", "    words", "a   xyz", "bb  z",
      ])
  }

  @Test func `long headers wrap between options, then within`() {
    #expect(TerminalTable.wrapped("sqlite:journal=delete", to: 15) == ["sqlite:", "journal=delete"])
    #expect(TerminalTable.wrapped("sqlite-queue", to: 10) == ["sqlite-", "queue"])
    #expect(TerminalTable.wrapped("plist", to: 10) == ["plist"])
  }

  @Test func `words fill lines`() {
    #expect(TerminalTable.filled(["aa", "bb", "cc"], width: 5) == ["aa bb", "  cc"])
  }
}
