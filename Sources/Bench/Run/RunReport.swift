import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// Writes what is derived from a run's trials.
struct RunReport {
  /// What is written.
  var formats: [any ReportFormat] = ReportFormats.usual
  /// Where to; nil for the run's own directory.
  var directory: URL?
  /// Which files and commands a CI system reads.
  var environment = ProcessInfo.processInfo.environment

  /// Writes the formats. In GitHub Actions the job's page gets the report without being asked.
  ///
  /// - Returns: The files written, and what is for standard output.
  /// - Throws: ``ExitStatus/Failure`` naming a file that cannot be written: an error of the file system is the suite's
  ///   own.
  func deliver(_ model: ReportModel) throws -> (files: [URL], commands: String) {
    var formats = formats
    if isSet("GITHUB_STEP_SUMMARY"), !formats.contains(where: { $0.id == "github-summary" }) {
      formats.append(GitHubSummaryFormat())
    }
    if environment["GITHUB_ACTIONS"] == "true", !formats.contains(where: { $0.id == "github-annotations" }) {
      formats.append(GitHubAnnotationsFormat())
    }
    var files: [URL] = []
    var commands = ""
    let page = Page(model)
    do {
      for format in formats {
        switch (format.destination, format as? any TextFormat) {
        case (.standardOutput, let format?): commands += try format.text(page)
        case (.appended(let variable), let format?) where isSet(variable):
          try Self.append(try format.text(page), to: environment[variable] ?? "", of: variable)
        default: files += try format.write(page, to: directory ?? model.directory.url)
        }
      }
    } catch let error as FileWriteError {
      throw ExitStatus.Failure(ExitStatus.ioError, "\(error.description); check the directory and the space left")
    }
    return (files, commands)
  }

  private func isSet(_ variable: String) -> Bool { environment[variable]?.isEmpty == false }

  private static func append(_ text: String, to path: String, of variable: String) throws {
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
    do {
      guard let handle = FileHandle(forWritingAtPath: path) else {
        throw FileWriteError(path: path, reason: "it cannot be opened")
      }
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(text.utf8))
      try handle.close()
    } catch {
      throw ExitStatus.Failure(ExitStatus.ioError, "cannot write \(path), which \(variable) names; check it")
    }
  }

  /// Files with a word for what they are, the page first; paths below the working directory are shown from there, and
  /// pictures by their directory.
  static func named(_ files: [URL]) -> [(name: String, path: String)] {
    let names = ["report.html": "Report", "summary.csv": "Data", "trials.csv": "Trials", "report.md": "Markdown"]
    let order = ["report.html", "summary.csv", "trials.csv", "report.md"]
    let pictures = files.filter { $0.pathExtension == "svg" }
    let others = files.filter { $0.pathExtension != "svg" }
    let sorted = others.enumerated().sorted { left, right in
      let places = [left, right].map { order.firstIndex(of: $0.element.lastPathComponent) ?? order.count }
      return (places[0], left.offset) < (places[1], right.offset)
    }.map(\.element)
    return sorted.map { (name: names[$0.lastPathComponent] ?? $0.lastPathComponent, path: shown($0)) }
      + pictures.prefix(1).map { (name: "Pictures", path: shown($0.deletingLastPathComponent())) }
  }

  /// A path as people see it.
  private static func shown(_ file: URL) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return file.path.hasPrefix(here) ? String(file.path.dropFirst(here.count)) : file.path
  }
}
