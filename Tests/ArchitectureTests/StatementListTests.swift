import Foundation
import Testing

/// Compares docs/reference/statements.md with the numbers of the claims and with the tests that it names.
@Suite struct StatementListTests {
  /// The letters of the claims, with the highest number of each.
  private static let claims = [
    "X": 12, "P": 9, "T": 1, "M": 1, "A": 12, "D": 9, "K": 8, "S": 14, "F": 21, "C": 29, "N": 2, "B": 2, "R": 1,
    "W": 22,
  ]

  private struct Row {
    let numbers: [String]
    let cells: [String]
  }

  private static let rows: [Row] = {
    let text = (try? SourceTree.text("docs/reference/statements.md")) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard let first = cells.first, first.contains(/^[A-Z][0-9]/) else { return nil }
      return Row(numbers: first.components(separatedBy: ", "), cells: Array(cells))
    }
  }()

  private static let code = (SourceTree.read("Sources") + SourceTree.read("Tests")).map(\.code).joined()

  @Test func everyClaimHasOneVerdict() {
    let expected = Self.claims.flatMap { letter, count in (1...count).map { "\(letter)\($0)" } }
    #expect(Self.rows.flatMap(\.numbers).sorted() == expected.sorted())
    for row in Self.rows { #expect(row.cells.allSatisfy { !$0.isEmpty }, "an empty cell: \(row.cells)") }
  }

  /// In a table without a column of tests, a test has the claim's number.
  @Test func everyClaimHasATestOrAReason() throws {
    let numbers = Set(Self.rows.flatMap(\.numbers))
    for row in Self.rows {
      let isReason = row.cells.contains { $0.contains(/not tested|not applicable|kit|wrong|no code|are typed/) }
      if row.cells.count < 4 && row.numbers.first?.first != "W" {
        let untested = row.numbers.filter { !Self.code.contains("\"\($0) ") }
        #expect(untested.isEmpty || isReason, "no test is named \(untested)")
        continue
      }
      let last = try #require(row.cells.last)
      let names = last.matches(of: /`([^`]+)`/).map { String($0.output.1) }
      #expect(!names.isEmpty || isReason || last.contains(/^[0-9, ]+$|finding/), "\(row.numbers) has no test")
      for name in names where !numbers.contains(name) {
        #expect(Self.code.contains(name.split(separator: "=").first ?? ""), "\(row.numbers) names \(name)")
      }
    }
  }

  @Test func semanticsOfTheObjectGraphExist() throws {
    let table = try SourceTree.text("docs/explanation/object-graph.md")
    for row in Self.rows where row.numbers.first?.first == "C" {
      for number in row.cells.last?.matches(of: /\b([0-9]+)\b/).map({ String($0.output.1) }) ?? [] {
        #expect(table.contains("\n| \(number) |"), "\(row.numbers) names semantic \(number)")
      }
    }
  }
}
