import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import Testing

/// The figures of `docs/explanation/questions.md` are those of its run.
@Suite struct QuestionsTests {
  @Test func `every figure of the page is one of the run`() throws {
    let page = try FigurePage("explanation/questions.md", ["cell": CellFigures(["": "results/questions/summary.csv"])])
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
        "cell": CellFigures(["": "\(files)/run.csv"]),
        "cell on": CellFigures(["ext4": "\(files)/ext4.csv", "xfs": "\(files)/xfs.csv", "btrfs": "\(files)/btrfs.csv"]),
        "crash test": CrashFigures("\(files)/safety.json"),
        "copied disk": CutFigures("\(files)/cuts.csv"),
      ])
  }

  @Test func `every figure of a table is that of its row`() throws {
    #expect(try Self.page().expectFigures() > 300)
  }

  @Test func `a time of one process is marked, and a mean far above the median is shown`() throws {
    let figures = try CellFigures(["": "\(Self.files)/run.csv"])
    func time(_ row: String, _ column: String = "one operation") throws -> String {
      try #require(figures.figure(column, of: row, first: row), "\(row)")
    }
    let archive = "archive/save-one/10000/shipped"
    #expect(try time(archive).hasSuffix("¹"))
    #expect(try time(archive, "time").hasSuffix("¹"))
    #expect(try !time(archive, "bytes written").contains("process"))
    #expect(try !time("sqlite/read-one/10000/-").contains("("))
    #expect(try time("sqlite:as=apple/save-one/10000/shipped").contains(" (mean "))
  }

  @Test func `there are as many findings as asked, numbered, each with a command and a table`() throws {
    let findings = Finding.all(of: try Self.page().text)
    #expect(findings.count >= 30)
    #expect(findings.map(\.number) == Array(1...findings.count))
    for finding in findings {
      #expect(!finding.commands.isEmpty, "\(finding.title): no command")
      #expect(!finding.rows.isEmpty, "\(finding.title): no row")
    }
  }

  @Test func `contradictions are listed, have a source, and were measured on two file systems`() throws {
    let text = try Self.page().text
    let findings = Finding.all(of: text).filter { $0.contradicts != nil }
    #expect(findings.count >= 8)
    let numbers = findings.map { String($0.number) }.joined(separator: ", ")
    #expect(text.contains("\nContradicting somebody: \(numbers).\n"))
    for finding in findings {
      #expect(finding.contradicts?.contains("](http") == true, "\(finding.title): no source with its address")
      for fileSystem in ["ext4", "xfs"] {
        #expect(
          finding.columns.contains { $0.hasSuffix(", \(fileSystem)") }, "\(finding.title): nothing of \(fileSystem)")
      }
    }
  }

  @Test func `a sentence has no figure that no table of its finding has`() throws {
    for finding in Finding.all(of: try Self.page().text) {
      // The names of cells contain sizes.
      let known = Set(finding.tables.map { $0.filter { $0 != "`" } }.flatMap(Finding.figures))
      for figure in Finding.figures(finding.prose) where !known.contains(figure) {
        Issue.record("\(finding.title): \(figure) is in no table")
      }
    }
  }

  @Test func `the commands of a finding make its rows`() throws {
    for finding in Finding.all(of: try Self.page().text) {
      let asked = finding.commands.map(Asked.init)
      for row in finding.rows {
        let parts = row.split(separator: "/").map(String.init)
        #expect(asked.contains { $0.covers(parts) }, "\(finding.title): no command makes \(row)")
      }
    }
  }
}

/// A section of the page whose heading has a number.
private struct Finding {
  var number = 0
  var title = ""
  /// The line that names the contradicted source.
  var contradicts: String?
  var commands: [String] = []
  /// The first fields of tables, and the titles of their columns.
  var rows: [String] = []
  var columns: [String] = []
  var tables: [String] = []
  var prose = ""

  static func all(of page: String) -> [Finding] {
    page.components(separatedBy: "\n## ").dropFirst().compactMap { section in
      var lines = section.components(separatedBy: "\n")
      let heading = lines.removeFirst()
      guard let dot = heading.firstIndex(of: "."), let number = Int(heading[..<dot]) else { return nil }
      var finding = Finding(number: number, title: heading)
      finding.prose = heading[dot...] + "\n"
      var inTable = false
      for line in lines {
        if line.hasPrefix("    ") {
          finding.commands.append(line.trimmingCharacters(in: .whitespaces))
        } else if line.hasPrefix("| ") {
          finding.tables.append(line)
          let fields = FigurePage.fields(line)
          if inTable { finding.rows.append(FigurePage.bare(fields[0])) } else { finding.columns += fields.dropFirst() }
          inTable = true
        } else if line.hasPrefix("|") {
        } else if line.hasPrefix("*Contradicts*") {
          finding.contradicts = line
        } else {
          inTable = false
          finding.prose += line + "\n"
        }
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

/// The options of a command of the page.
private struct Asked {
  private let words: [String]

  init(_ command: String) { words = command.split(separator: " ").map(String.init) }

  private func values(_ option: String) -> [String] {
    words.indices.filter { words[$0] == option && $0 + 1 < words.count }
      .flatMap { words[$0 + 1].split(separator: ",").map { $0.filter { $0 != "'" } } }
  }

  /// Whether the command makes a row: a cell of a run, a backend of a crash test, or a copied disk.
  func covers(_ row: [String]) -> Bool {
    guard words.count > 1 else { return false }
    if words.starts(with: ["scripts/lab", "power-cut"]) { return row.count == 2 }
    guard values("-b").contains(row[0]) else { return false }
    if words[1] == "crashtest" { return row.count >= 3 && values("--fault").contains(row[2]) }
    let sizes = values("-n").map { $0.replacing("k", with: "000").replacing("M", with: "000000") }
    let durability = values("--durability")
    return row.count >= 4 && values("-w").contains(row[1]) && (sizes.isEmpty ? ["1000"] : sizes).contains(row[2])
      && (row[3] == "-" || (durability.isEmpty ? ["shipped"] : durability).contains(row[3]))
      && row.dropFirst(4).allSatisfy { extra in
        let option = extra.split(separator: "=").map(String.init)
        return values("--\(option[0])").contains(option.last ?? "")
      }
  }
}

/// The rows of a `safety.json`: `BACKEND/ASKED/FAULT`, or with the model of a disk behind.
private struct CrashFigures: FigureSource {
  private let found: [SafetyReport.FaultResult]

  init(_ path: String) throws {
    let data = try Data(contentsOf: packageRoot.appendingPathComponent(path))
    found = try JSONDecoder().decode(SafetyReport.self, from: data).findings
  }

  func figure(_ column: String, of row: String, first: String) -> String? {
    let parts = row.split(separator: "/").map(String.init)
    let results = found.filter {
      [$0.backend, $0.durability.rawValue, $0.fault] == Array(parts.prefix(3))
        && (parts.count < 4 || $0.variant == parts[3])
    }
    guard let level = results.first?.level else { return nil }
    func sum(_ value: (SafetyReport.FaultResult) -> Int) -> String {
      Quantity.grouped(results.reduce(0) { $0 + value($1) })
    }
    switch column {
    case "level": return level.rawValue
    case "cases": return sum(\.cases)
    case "kept": return sum(\.kept)
    case "lose saves": return sum { $0.lostWithinPromise + $0.lostAgainstPromise }
    case "torn": return sum(\.torn)
    case "refused": return sum(\.refused)
    case "end the process": return sum(\.crashed)
    default: return nil
    }
  }
}

/// The results of `scripts/lab power-cut` on copied disks: `BACKEND/ASKED`, a column for each file system: `lost, xfs`.
private struct CutFigures: FigureSource {
  private var cuts: [[String]: [String]] = [:]

  init(_ path: String) throws {
    for line in try packageRoot.text(path).split(separator: "\n").dropFirst() {
      let fields = line.split(separator: ",").map(String.init)
      cuts[Array(fields.prefix(3))] = fields
    }
  }

  func figure(_ column: String, of row: String, first: String) -> String? {
    let words = column.components(separatedBy: ", ")
    let indices = ["level": 3, "kept": 5, "lost": 6, "torn": 7]
    guard let index = indices[words[0]], let fields = cuts[[words.last ?? "ext4"] + row.components(separatedBy: "/")]
    else { return words == ["level"] ? cuts[["ext4"] + row.components(separatedBy: "/")]?[3] : nil }
    return index == 3 ? fields[3] : "\(fields[index]) of \(fields[4])"
  }
}
