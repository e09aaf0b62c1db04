import Foundation
@testable import StorageReport
import StorageRunFiles
@testable import TestSupport

/// The report of the committed run, written by the code under test.
struct ReportFiles: Sendable {
  /// The directory of `report.html` and `charts`.
  let directory: URL
  /// The content of the page.
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

  /// Opens the page of the committed run.
  static func open(_ fragment: String? = nil, on screen: Page.Screen = .laptop) throws -> Page {
    try Browser.open(example.get().page, fragment: fragment, on: screen)
  }

  /// The committed run.
  static let run = RunDirectory(url: packageRoot.appendingPathComponent("results/example"))

  /// The directory of all reports, which is removed when the process exits.
  private static let root: URL = {
    atexit { try? FileManager.default.removeItem(at: ReportFiles.root) }
    return FileManager.default.temporaryDirectory.appendingPathComponent("page-tests-report-\(getpid())")
  }()

  /// The report of the committed run. It is written once for all tests.
  static let example = Result {
    let directory = root.appendingPathComponent("example")
    let model = try ReportModel(reading: run)
    _ = try model.write(formats: [.html, .svg], to: directory)
    return ReportFiles(directory: directory, document: RunReport(model).document)
  }

  /// The page of the sample run, which has a row of every status.
  static let golden = Result {
    let directory = root.appendingPathComponent("golden")
    _ = try SampleRun.model().write(formats: [.html], to: directory)
    return directory.appendingPathComponent("report.html")
  }
}
