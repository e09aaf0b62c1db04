import Foundation
import StorageRunFiles

/// Tables for spreadsheets and programs: `summary.csv` and `trials.csv` of a run.
public struct CSVFormat: ReportFormat {
  /// What stands after `-f`.
  public let id = "csv"

  /// Creates the format.
  public init() {}

  /// Writes the report's own tables.
  public func write(_ report: any Report, to directory: URL) throws -> [URL] {
    try report.writeTables(to: directory)
  }
}

/// What the report says, for programs: `report.json`, `comparison.json`.
public struct JSONFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "json"

  /// Creates the format.
  public init() {}

  /// One file, its keys sorted.
  public func files(_ report: any Report) -> [TextFile] {
    [TextFile("\(report.name).json", body: report.writeJSON)]
  }
}

/// `charts/*.svg`: every picture of the page as a file of its own, for READMEs, slides and papers.
public struct SVGFormat: ReportFormat {
  /// What stands after `-f`.
  public let id = "svg"

  /// Creates the format.
  public init() {}

  /// Where a report's pictures are: a comparison written beside a run must not take the run's away.
  static func folder(_ report: any Report) -> String { report.name == "report" ? "charts" : "\(report.name)-charts" }

  /// Writes the pictures, and takes away those of an earlier report that are no more.
  ///
  /// - Throws: `FileWriteError` naming the file.
  public func write(_ report: any Report, to directory: URL) throws -> [URL] {
    let charts = directory.appendingPathComponent(Self.folder(report), isDirectory: true)
    let files = report.document.pictures.map { chart in
      (url: charts.appendingPathComponent("\(chart.id).svg"), chart: chart)
    }
    for file in files { try AtomicFile.write(file.chart.file(), to: file.url) }
    let kept = Set(files.map(\.url.lastPathComponent))
    let found = (try? FileManager.default.contentsOfDirectory(atPath: charts.path)) ?? []
    for name in found where name.hasSuffix(".svg") && !kept.contains(name) {
      try? FileManager.default.removeItem(at: charts.appendingPathComponent(name))
    }
    return files.map(\.url)
  }
}
