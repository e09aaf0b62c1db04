import Foundation
import StorageReport
import StorageRunFiles

/// The output of a report to files, the screen and a CI system.
struct ReportOutput {
  var formats: [ReportFormat]
  var directory: URL
  var environment = ProcessInfo.processInfo.environment

  /// Writes the report in each of its formats, and in GitHub Actions also as job summary and annotations.
  ///
  /// - Returns: The URLs of the written files, and the commands for a CI system, such as annotations of GitHub Actions.
  ///   The caller must print the commands.
  /// - Throws: `FileWriteError` if a file cannot be written.
  func write(_ report: any Report) throws -> (files: [URL], commands: String) {
    var formats = formats
    if isSet("GITHUB_STEP_SUMMARY"), !formats.contains(where: { $0.id == "github-summary" }) {
      formats.append(.githubSummary)
    }
    if environment["GITHUB_ACTIONS"] == "true", !formats.contains(where: { $0.id == "github-annotations" }) {
      formats.append(.githubAnnotations)
    }
    var commands = ""
    var written: [ReportFormat] = []
    for format in formats {
      switch format.destination {
      case .standardOutput: commands += try format.text(report)
      case .appended(let variable) where isSet(variable):
        try Self.append(try format.text(report), to: environment[variable] ?? "", of: variable)
      default: written.append(format)
      }
    }
    return (try report.write(formats: written, to: directory), commands)
  }

  func deliver(_ report: any Report, isBrief: Bool = false) throws {
    let result = try write(report)
    Screen.show(isBrief ? report.short : report.document, files: result.files, isBrief: isBrief)
    StandardOutput.write(commands: result.commands)
  }

  private func isSet(_ variable: String) -> Bool { environment[variable]?.isEmpty == false }

  private static func append(_ text: String, to path: String, of variable: String) throws {
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
    do {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(text.utf8))
      try handle.close()
    } catch {
      throw FileWriteError(
        path: path, reason: AtomicFile.reason(of: error), advice: "check \(variable), which names it")
    }
  }
}
