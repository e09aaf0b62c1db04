import Foundation
import StorageContract
import StorageRunFiles
import Testing

/// The figures of `docs/explanation/questions.md` are those of its run.
@Suite struct QuestionsTests {
  @Test func `every figure of the page is one of the run`() throws {
    let cells = try CellFigures.source(["": "results/questions/summary.csv"])
    let page = try FigurePage("explanation/questions.md", ["cell": cells])
    #expect(try page.expectFigures() > 150)
    for number in 1...15 { #expect(page.text.contains("\n## \(number). ")) }
    #expect(page.text.components(separatedBy: "\n    scripts/bench ").count - 1 >= 16)
    #expect(page.text.components(separatedBy: "*Not answered:*").count == 16)
  }
}

/// The figures of `docs/explanation/findings.md` are those that `scripts/lab findings` measured, and its commands
/// measure them again.
@Suite struct FindingsTests {
  private static let files = "results/reference/findings"

  private static func page() throws -> FigurePage {
    try FigurePage(
      "explanation/findings.md",
      [
        "cell": CellFigures.source(["": "\(files)/run.csv"]),
        "cell on": CellFigures.source(
          ["ext4": "\(files)/ext4.csv", "xfs": "\(files)/xfs.csv", "btrfs": "\(files)/btrfs.csv"]),
        "crash test": crashFigures("\(files)/safety.json"),
        "copied disk": cutFigures("\(files)/cuts.csv"),
      ])
  }

  @Test func `every figure of a table is that of its row`() throws {
    #expect(try Self.page().expectFigures() > 300)
  }

  @Test func `findings are numbered, and contradictions are listed, have a source and two file systems`() throws {
    let text = try Self.page().text
    let findings = Finding.all(of: text)
    #expect(findings.count >= 30 && findings.map(\.number) == findings.indices.map { $0 + 1 })
    let contradicting = findings.filter { $0.contradicts != nil }
    let numbers = contradicting.map { String($0.number) }.joined(separator: ", ")
    #expect(text.contains("\nContradicting somebody: \(numbers).\n"))
    for finding in contradicting {
      #expect(finding.contradicts?.contains("](http") == true, "\(finding.title): no source with its address")
      let tables = finding.tables.joined()
      #expect(tables.contains(", ext4 |") && tables.contains(", xfs |"), "\(finding.title)")
    }
  }

  @Test func `a sentence has no figure that no table of its finding has`() throws {
    for finding in Finding.all(of: try Self.page().text) {
      // The names of cells contain sizes.
      let known = Set(finding.tables.flatMap { Finding.figures(FigurePage.bare($0)) })
      for figure in Finding.figures(finding.prose) where !known.contains(figure) {
        Issue.record("\(finding.title): \(figure) is in no table")
      }
    }
  }

  @Test func `the commands of a finding make its rows`() throws {
    for finding in Finding.all(of: try Self.page().text) {
      #expect(!finding.commands.isEmpty && !finding.rows.isEmpty, "\(finding.title)")
      for row in finding.rows {
        let parts = row.split(separator: "/").map(String.init)
        #expect(finding.commands.contains { $0.makes(parts) }, "\(finding.title): no command makes \(row)")
      }
    }
  }
}

/// A section of the page whose heading has a number.
private struct Finding {
  let number: Int
  let title: String
  /// The line that names the contradicted source.
  var contradicts: String?
  var commands: [FindingCommand] = []
  /// The first fields of the lines of tables.
  var rows: [String] = []
  /// The lines of tables, with their headers.
  var tables: [String] = []
  var prose: String

  static func all(of page: String) -> [Finding] {
    page.components(separatedBy: "\n## ").compactMap { section in
      let lines = section.components(separatedBy: "\n")
      guard let dot = lines[0].firstIndex(of: "."), let number = Int(lines[0][..<dot]) else { return nil }
      var finding = Finding(number: number, title: lines[0], prose: String(lines[0][dot...]))
      var isInTable = false
      for line in lines.dropFirst() {
        if line.hasPrefix("    ") {
          finding.commands.append(FindingCommand(words: line.split(separator: " ").map(String.init)))
        } else if line.hasPrefix("| ") {
          finding.tables.append(line)
          if isInTable { finding.rows.append(FigurePage.bare(FigurePage.fields(line)[0])) }
        } else if line.hasPrefix("*Contradicts*") {
          finding.contradicts = line
        } else if !line.hasPrefix("|") {
          finding.prose += "\n" + line
        }
        isInTable = line.hasPrefix("|")
      }
      return finding
    }
  }

  /// Returns the figures of a text without their units, except for those in code and links and of other findings.
  static func figures(_ text: String) -> [String] {
    text.replacing(#/`[^`]*`|\]\([^)]*\)|finding \d+/#, with: "").matches(of: #/\b\d(?:[\d,.]*\d)?/#)
      .map { $0.output.filter { $0 != "," } }
  }
}

/// A command of the page.
private struct FindingCommand {
  let words: [String]

  private func values(_ option: String, default other: [String] = []) -> [String] {
    guard let index = words.firstIndex(of: option), index + 1 < words.count else { return other }
    return words[index + 1].split(separator: ",").map(String.init)
  }

  /// Whether the command makes a row: a cell of a run, a backend of a crash test, or a copied disk.
  func makes(_ row: [String]) -> Bool {
    if words.contains("power-cut") { return row.count == 2 }
    guard values("-b").contains(row[0]), row.count > 2 else { return false }
    if words.contains("crashtest") { return values("--fault").contains(row[2]) }
    let sizes = values("-n", default: ["1000"]).map { $0.replacing("k", with: "000").replacing("M", with: "000000") }
    return row.count > 3 && values("-w").contains(row[1]) && sizes.contains(row[2])
      && (row[3] == "-" || values("--durability", default: ["shipped"]).contains(row[3]))
      && row.dropFirst(4).allSatisfy { extra in
        let option = extra.split(separator: "=").map(String.init)
        return values("--\(option[0])").contains(option.last ?? "")
      }
  }
}

/// Returns the rows of a `safety.json`: `BACKEND/ASKED/FAULT`, or with the model of a disk behind.
private func crashFigures(_ path: String) throws -> FigureSource {
  let data = try Data(contentsOf: packageRoot.appendingPathComponent(path))
  let found = try JSONDecoder().decode(SafetyReport.self, from: data).findings
  return { column, row, _ in
    let parts = row.split(separator: "/").map(String.init)
    let results = found.filter {
      [$0.backend, $0.durability.rawValue, $0.fault] == Array(parts.prefix(3))
        && (parts.count < 4 || $0.variant == parts[3])
    }
    guard !results.isEmpty else { return nil }
    func sum(_ value: (SafetyReport.FaultResult) -> Int) -> String {
      Quantity.grouped(results.reduce(0) { $0 + value($1) })
    }
    switch column {
    case "cases": return sum(\.cases)
    case "lose saves": return sum { $0.lostWithinPromise + $0.lostAgainstPromise }
    case "torn": return sum(\.torn)
    default: return nil
    }
  }
}

/// Returns the results of `scripts/lab power-cut` on copied disks: `BACKEND/ASKED`, a column for each file system:
/// `lost, xfs`.
private func cutFigures(_ path: String) throws -> FigureSource {
  let lines = try packageRoot.text(path).split(separator: "\n").dropFirst()
    .map { $0.split(separator: ",").map(String.init) }
  return { column, row, _ in
    let words = column.components(separatedBy: ", ")
    let cut = [words.count == 2 ? words[1] : "ext4"] + row.components(separatedBy: "/")
    guard let fields = lines.last(where: { Array($0.prefix(3)) == cut }) else { return nil }
    return ["level": fields[3], "lost": "\(fields[6]) of \(fields[4])"][words[0]]
  }
}
