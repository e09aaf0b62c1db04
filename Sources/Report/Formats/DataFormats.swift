import Foundation
import StorageRunFiles

/// The format of the CSV tables of a run: `summary.csv` and `trials.csv`.
public struct CSVFormat: ReportFormat {
  /// The name by which the command-line option `-f` selects this format.
  public let id = "csv"

  /// Creates the format of CSV tables, which has no settings.
  public init() {}

  /// Writes the CSV tables of a report, and returns the written files. Empty for a report without tables.
  public func write(_ report: any Report, to directory: URL) throws -> [URL] { try report.writeTables(to: directory) }

  /// Returns whether `head` is the beginning of `summary.csv` or `trials.csv`.
  public func recognizes(_ head: String) -> Bool {
    head.hasPrefix("schema,machine,run,backend,options,workload,")
      || head.hasPrefix("backend,options,workload,records,record_bytes,")
  }
}

/// The format of JSON for other programs: `report.json`, `comparison.json`, `safety.json`.
public struct JSONFormat: TextFormat {
  /// The name by which the command-line option `-f` selects this format.
  public let id = "json"

  /// Creates the format of JSON files, which has no settings.
  public init() {}

  /// Returns one JSON file with sorted keys. The file is named after the report, such as `report.json`.
  public func files(_ report: any Report) -> [TextFile] { [TextFile("\(report.name).json", body: report.writeJSON)] }

  /// Returns whether `head` is the beginning of a JSON report that this program wrote.
  public func recognizes(_ head: String) -> Bool {
    let keys = [("answer", "cells"), ("base", "judgements"), ("created", "findings")]
    return keys.contains { head.hasPrefix("{\n  \"\($0)\" : ") && head.contains("\n  \"\($1)\" : [") }
  }
}

/// The format of SVG files in the folder `charts`. Each chart is a separate file, for READMEs, slides and papers.
public struct SVGFormat: ReportFormat {
  /// The name by which the command-line option `-f` selects this format.
  public let id = "svg"

  /// Creates the format of SVG charts, which has no settings.
  public init() {}

  /// Returns the name of the folder for a report's chart files: `charts` for a run, `comparison-charts` for a
  /// comparison. The folders differ, because a report removes outdated charts from its folder.
  static func folder(_ report: any Report) -> String { report.name == "report" ? "charts" : "\(report.name)-charts" }

  /// Writes the chart files of a report, and removes outdated chart files of an earlier report.
  ///
  /// - Throws: `FileWriteError` naming the file; `UsageError` if this program did not write an existing file.
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

  /// Returns whether `head` is the beginning of a chart file that this program wrote.
  public func recognizes(_ head: String) -> Bool {
    let lines = head.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
    return lines.count > 2 && lines[0] == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
      && lines[1].hasPrefix("<svg xmlns=") && lines[1].hasSuffix("class=\"chart\" role=\"img\">")
      && lines[2].hasPrefix("<title>")
  }
}
