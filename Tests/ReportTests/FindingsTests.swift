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

/// The figures of `docs/explanation/findings.md` are those that `scripts/lab findings` measured.
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
