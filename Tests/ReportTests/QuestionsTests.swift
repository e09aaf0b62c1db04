import Foundation
import StorageContract
@testable import StorageReport
import Testing

/// What `docs/questions.md` says is what its run measured.
@Suite struct QuestionsTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `every figure of the page is one of the run`() throws {
    let rows = try SummaryCSV.read(Self.root.appendingPathComponent("results/questions/summary.csv"))
    let byName = Dictionary(rows.map { ($0.cell.name, $0) }, uniquingKeysWith: { first, _ in first })
    let page = try String(contentsOf: Self.root.appendingPathComponent("docs/questions.md"), encoding: .utf8)
    var columns: [String] = []
    var checked = 0
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("| ") else { continue }
      let fields = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if fields[0] == "cell" {
        columns = fields
        continue
      }
      let name = fields[0].filter { $0 != "`" }
      let row = try #require(byName[name], "\(name) is no row of the run")
      #expect(row.status == .ok, "\(name)")
      for (column, field) in zip(columns, fields).dropFirst() {
        #expect(field == Self.expected(column, row), "\(name): \(column)")
        checked += 1
      }
    }
    #expect(checked > 200)
    // All questions, each with its command.
    for number in 1...15 { #expect(page.contains("\n## \(number). ")) }
    #expect(page.components(separatedBy: "\n    scripts/bench ").count - 1 >= 16)
    #expect(page.components(separatedBy: "*Not answered:*").count == 16)
  }

  /// What a column of the page has of a row.
  private static func expected(_ column: String, _ row: SummaryRow) -> String {
    func count(_ name: String) -> String { row.finding(name).map { Quantity.grouped(Int($0)) } ?? "" }
    switch column {
    case "one operation": return row.typicalTime.map(NumberFormat.time) ?? ""
    case "bytes written": return row.perOperation(\.bytesWrittenSettled).map(NumberFormat.bytes) ?? ""
    case "statements": return row.perOperation(\.statements).map { String(Int($0.rounded())) } ?? ""
    case "file": return row.cost?.fileBytes.map { NumberFormat.bytes(Double($0)) } ?? ""
    case "saves": return count("saves")
    case "of the other": return count("other_saves")
    case "errors": return count("errors")
    case "lost": return count("lost_updates")
    case "stale reads": return count("stale_reads")
    case "rows decoded": return count("rows_decoded_per_save")
    case "free pages": return count("free_pages")
    case "size of the index": return row.finding("index_bytes").map(NumberFormat.bytes) ?? ""
    default: return "no such column"
    }
  }
}
