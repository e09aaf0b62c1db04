import Foundation
import StorageRunFiles

/// The format of tables for spreadsheets and programs: `summary.csv` and `trials.csv` of a run.
public struct CSVFormat: ReportFormat {
  /// The format's name for the option `-f`.
  public let id = "csv"

  /// Creates the format.
  public init() {}

  /// Writes the tables of a report.
  public func write(_ report: any Report, to directory: URL) throws -> [URL] {
    try report.writeTables(to: directory)
  }

  /// Returns whether a file begins with the first columns of `summary.csv` or of `trials.csv`.
  public func recognizes(_ head: String) -> Bool {
    head.hasPrefix("schema,machine,run,backend,options,workload,")
      || head.hasPrefix("backend,options,workload,records,record_bytes,")
  }
}

/// The format of reports for programs: `report.json`, `comparison.json`, `safety.json`.
public struct JSONFormat: TextFormat {
  /// The format's name for the option `-f`.
  public let id = "json"

  /// Creates the format.
  public init() {}

  /// Returns one JSON file with sorted keys.
  public func files(_ report: any Report) -> [TextFile] {
    [TextFile("\(report.name).json", body: report.writeJSON)]
  }

  /// Returns whether a file begins with the first key of a report's JSON, and has another key of it.
  public func recognizes(_ head: String) -> Bool {
    let keys = [("answer", "cells"), ("base", "judgements"), ("created", "findings")]
    return keys.contains { head.hasPrefix("{\n  \"\($0)\" : ") && head.contains("\n  \"\($1)\" : [") }
  }
}

/// The format of `charts/*.svg`: each chart of the page as a separate file, for READMEs, slides and papers.
public struct SVGFormat: ReportFormat {
  /// The format's name for the option `-f`.
  public let id = "svg"

  /// Creates the format.
  public init() {}

  /// Returns the folder of a report's charts. A comparison in the directory of a run has a separate folder, so that it
  /// does not remove the run's charts.
  static func folder(_ report: any Report) -> String { report.name == "report" ? "charts" : "\(report.name)-charts" }

  /// Writes the charts, and removes charts of an earlier report that no longer exist.
  ///
  /// - Throws: `FileWriteError` naming the file.
  public func write(_ report: any Report, to directory: URL) throws -> [URL] {
    let charts = directory.appendingPathComponent(Self.folder(report), isDirectory: true)
    let files = report.document.pictures.map { chart in
      (url: charts.appendingPathComponent("\(chart.id).svg"), chart: chart)
    }
    let isOwn = { (head: Data) in recognizes(String(decoding: head, as: UTF8.self)) }
    if !files.isEmpty {
      try OwnedDirectory.make(directory.path)
      try OwnedDirectory.makeDirectory(Self.folder(report), in: directory.path)
    }
    for file in files { try AtomicFile.write(file.chart.file(), to: file.url, replacing: isOwn) }
    let kept = Set(files.map(\.url.lastPathComponent))
    guard OwnedDirectory.lstat(charts.path)?.st_mode.isDirectory == true else { return [] }
    let found = (try? FileManager.default.contentsOfDirectory(atPath: charts.path)) ?? []
    for name in found where name.hasSuffix(".svg") && !kept.contains(name) {
      AtomicFile.remove(charts.appendingPathComponent(name), where: isOwn)
    }
    return files.map(\.url)
  }

  /// Returns whether a file begins like every chart of this suite.
  public func recognizes(_ head: String) -> Bool {
    let lines = head.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
    return lines.count > 2 && lines[0] == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
      && lines[1].hasPrefix("<svg xmlns=") && lines[1].hasSuffix("class=\"chart\" role=\"img\">")
      && lines[2].hasPrefix("<title>")
  }
}
