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

  /// By the first columns of `summary.csv` and of `trials.csv`.
  public func recognizes(_ head: String) -> Bool {
    head.hasPrefix("schema,machine,run,backend,options,workload,")
      || head.hasPrefix("backend,options,workload,records,record_bytes,")
  }
}

/// What the report says, for programs: `report.json`, `comparison.json`, `safety.json`.
public struct JSONFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "json"

  /// Creates the format.
  public init() {}

  /// One file, its keys sorted.
  public func files(_ report: any Report) -> [TextFile] {
    [TextFile("\(report.name).json", body: report.writeJSON)]
  }

  /// By the first key of each report's JSON, whose keys are sorted, and by another one.
  public func recognizes(_ head: String) -> Bool {
    let keys = [("answer", "cells"), ("base", "judgements"), ("created", "findings")]
    return keys.contains { head.hasPrefix("{\n  \"\($0)\" : ") && head.contains("\n  \"\($1)\" : [") }
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

  /// By what every picture of this suite begins with.
  public func recognizes(_ head: String) -> Bool {
    let lines = head.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
    return lines.count > 2 && lines[0] == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
      && lines[1].hasPrefix("<svg xmlns=") && lines[1].hasSuffix("class=\"chart\" role=\"img\">")
      && lines[2].hasPrefix("<title>")
  }
}
