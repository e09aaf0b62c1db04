import Foundation
import StorageRunFiles

/// `charts/*.svg`: every picture of the page as a file of its own, for READMEs, slides and papers.
public struct SVGFormat: ReportFormat {
  /// What stands after `-f`.
  public let id = "svg"
  /// A directory: which pictures there are depends on the run.
  public let fileNames = ["charts"]

  /// Creates the format.
  public init() {}

  /// Writes the pictures, and takes away those of an earlier report that are no more.
  ///
  /// - Throws: ``FileWriteError`` naming the file.
  public func write(_ page: Page, to directory: URL) throws -> [URL] {
    let charts = directory.appendingPathComponent(fileNames[0], isDirectory: true)
    let files = page.panels.flatMap { $0.charts + $0.tableCharts }.map { chart in
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
