import Foundation
@testable import StorageReport
import StorageRunFiles
@testable import TestSupport

/// The report of the committed run, written anew by the code under test, so that its page is that of now.
struct ReportFiles: Sendable {
  /// Where `report.html` and `charts` are.
  let directory: URL
  /// What the page is made of.
  let document: Document

  /// The page.
  var page: URL { directory.appendingPathComponent("report.html") }

  /// The pictures as files.
  var charts: [URL] {
    get throws {
      try FileManager.default.contentsOfDirectory(
        at: directory.appendingPathComponent("charts"), includingPropertiesForKeys: nil
      ).filter { $0.pathExtension == "svg" }.sorted { $0.path < $1.path }
    }
  }

  /// The package's directory.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The committed run.
  static let run = RunDirectory(url: root.appendingPathComponent("results/example"))

  /// The committed run's report. It is written once for all tests, and removed when the process exits.
  static let example = Result {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("page-tests-report-\(getpid())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    atexit {
      try? FileManager.default.removeItem(
        at: FileManager.default.temporaryDirectory.appendingPathComponent("page-tests-report-\(getpid())"))
    }
    let model = try ReportModel(reading: run)
    _ = try model.write(formats: [HTMLFormat(), SVGFormat()], to: directory)
    return ReportFiles(directory: directory, document: RunReport(model).document)
  }

  /// The page of the run that the golden reports are of, with a row of every status.
  static let golden = Result {
    let url = try SampleRun.write()
    atexit { removeGolden() }
    _ = try ReportModel(reading: RunDirectory(url: url)).write(formats: [HTMLFormat()])
    return url.appendingPathComponent("report.html")
  }

  private static func removeGolden() {
    guard let page = try? golden.get() else { return }
    try? FileManager.default.removeItem(at: page.deletingLastPathComponent().deletingLastPathComponent())
  }

  /// The comparison that the golden ones are of, a judgement of every kind.
  ///
  /// - Throws: The file system's error; `DecodingError`.
  static func comparison() throws -> Comparison {
    let file = root.appendingPathComponent("Tests/Golden/comparison.json.txt")
    return try JSONDecoder().decode(Comparison.self, from: Data(contentsOf: file))
  }
}
