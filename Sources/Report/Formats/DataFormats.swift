import Foundation
import StorageRunFiles

extension ReportFormat {
  /// The format of the CSV tables of a run: `summary.csv` and `trials.csv`. Other reports have no tables.
  public static let csv = ReportFormat(
    id: "csv", writer: { try $0.writeTables(to: $1) },
    recognizes: { head in
      head.hasPrefix("schema,machine,run,backend,options,workload,")
        || head.hasPrefix("backend,options,workload,records,record_bytes,")
    })

  /// The format of JSON files with sorted keys: `report.json`, `comparison.json` and `safety.json`.
  public static let json = ReportFormat(
    id: "json", files: { [TextFile(name: "\($0.name).json", forEachPiece: $0.writeJSON)] },
    recognizes: { head in
      let keys = [("answer", "cells"), ("base", "judgements"), ("created", "findings")]
      return keys.contains { head.hasPrefix("{\n  \"\($0)\" : ") && head.contains("\n  \"\($1)\" : [") }
    })

  /// The format of SVG files, one for each chart, in the folder `charts`.
  public static let svg = ReportFormat(
    id: "svg", writer: writeCharts,
    recognizes: { head in
      let lines = head.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
      return lines.count > 2 && lines[0] == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
        && lines[1].hasPrefix("<svg xmlns=") && lines[1].hasSuffix("class=\"chart\" role=\"img\">")
        && lines[2].hasPrefix("<title>")
    })

  /// Returns the name of the folder for a report's charts: `charts` for a run, `comparison-charts` for a comparison.
  static func chartFolder(_ report: any Report) -> String {
    report.name == "report" ? "charts" : "\(report.name)-charts"
  }

  /// Writes the chart files of a report, and removes outdated chart files of an earlier report.
  ///
  /// - Throws: `FileWriteError` naming the file; `UsageError` if a file of another program would be replaced.
  @Sendable private static func writeCharts(_ report: any Report, to directory: URL) throws -> [URL] {
    let charts = directory.appendingPathComponent(chartFolder(report), isDirectory: true)
    let files = report.document.pictures.map { chart in
      (url: charts.appendingPathComponent("\(chart.id).svg"), chart: chart)
    }
    if !files.isEmpty {
      try OwnedDirectory.make(directory.path)
      try OwnedDirectory.makeDirectory(chartFolder(report), in: directory.path)
    }
    for file in files { try AtomicFile.write(file.chart.file(), to: file.url, replacing: svg.isOwn) }
    let kept = Set(files.map(\.url.lastPathComponent))
    guard OwnedDirectory.lstat(charts.path)?.st_mode.isDirectory == true else { return [] }
    let found = (try? FileManager.default.contentsOfDirectory(atPath: charts.path)) ?? []
    for name in found where name.hasSuffix(".svg") && !kept.contains(name) {
      AtomicFile.remove(charts.appendingPathComponent(name), where: svg.isOwn)
    }
    return files.map(\.url)
  }
}
