import Foundation
import StorageContract
import StorageRunFiles

/// A file format of reports, such as CSV. To add a format, write a static property and list it in
/// ``ReportFormats/all``.
public struct ReportFormat: Sendable {
  /// The name by which the command-line option `-f` selects the format: `csv`.
  public let id: String
  /// The destination of a report in this format, such as files.
  public var destination = FormatDestination.files
  /// The function that returns the text files of a report. Nil if ``writer`` writes the files instead, as for PNG.
  public var files: (@Sendable (any Report) throws -> [TextFile])?
  /// The function that writes a report's files into a directory and returns their URLs. Nil if ``files`` creates the
  /// files instead.
  var writer: (@Sendable (any Report, URL) throws -> [URL])?
  /// The function that returns whether a file is of this format and may be replaced. Its argument is the file's
  /// beginning.
  public let recognizes: @Sendable (String) -> Bool

  /// Writes the files of a report, each completely or not at all.
  ///
  /// - Returns: The files written.
  /// - Throws: `FileWriteError` naming the file; `UsageError` for an unsuitable report, an unreadable run or another
  ///   program's file.
  public func write(_ report: any Report, to directory: URL) throws -> [URL] {
    if let writer { return try writer(report, directory) }
    return try files?(report).map { try $0.write(to: directory, replacing: isOwn) } ?? []
  }

  /// Returns the text of a report in this format. If the format has several text files, their texts are joined.
  public func text(_ report: any Report) throws -> String { try files?(report).map { try $0.text() }.joined() ?? "" }

  /// Returns whether a file with the beginning `head` is of this format and may be replaced.
  package func isOwn(_ head: Data) -> Bool { recognizes(String(decoding: head, as: UTF8.self)) }
}

/// The destination of a report's text.
public enum FormatDestination: Sendable {
  /// The destination of a report that is written to files in the output directory, such as `report.html`.
  case files
  /// The destination of a report that a CI system reads from standard output.
  case standardOutput
  /// The destination of a report that is added at the end of a file. The environment variable `toFileIn` contains the
  /// file's path. If it is not set, a file is written into the output directory.
  case appended(toFileIn: String)
}

/// The available report formats.
public enum ReportFormats {
  /// All report formats. A new format is added to this list.
  public static let all: [ReportFormat] = [
    .csv,
    .markdown(),
    .html,
    .svg,
    .png,
    .json,
    .junit,
    .benchstat,
    .bencher,
    .githubSummary,
    .githubAnnotations,
  ]

  /// The formats in which a run is reported, unless the user requests others.
  public static let usual: [ReportFormat] = [.csv, .markdown(), .html, .svg]

  /// The formats for a comparison, which has no CSV tables and no preview image.
  public static let ofComparisons: [ReportFormat] = all.filter { !["csv", "png"].contains($0.id) }

  /// The formats for the results of crash tests. The Markdown file has no size limit.
  public static let ofCrashTests: [ReportFormat] = [.json, .markdown(limit: .max), .html]

  /// Returns whether this program wrote at least one of the files `names` in a directory. For a folder of charts, the
  /// files in the folder are checked.
  package static func haveWritten(_ names: [String], in directory: String) -> Bool {
    names.contains { name in
      let path = "\(directory)/\(name)"
      guard let status = OwnedDirectory.lstat(path) else { return false }
      guard status.st_mode.isRegularFile else {
        let inner = status.st_mode.isDirectory ? try? FileManager.default.contentsOfDirectory(atPath: path) : nil
        return name.hasSuffix("charts") && haveWritten(inner ?? [], in: path)
      }
      let head = String(decoding: AtomicFile.head(of: URL(fileURLWithPath: path)), as: UTF8.self)
      return all.contains { $0.recognizes(head) }
    }
  }

  /// Returns the formats with the names `ids`, such as `csv`.
  ///
  /// - Throws: `UsageError` naming an unknown format and the nearest known one.
  public static func named(_ ids: [String], among formats: [ReportFormat] = all) throws -> [ReportFormat] {
    try ids.map { id in
      guard let format = formats.first(where: { $0.id == id }) else {
        throw UsageError(Nearest.sentence("format", id, among: formats.map(\.id)))
      }
      return format
    }
  }
}

extension Report {
  /// Writes the report in several formats. The directory is created if missing. Each file is written whole or not at
  /// all.
  ///
  /// - Returns: The written files, in the order of the formats.
  /// - Throws: `FileWriteError` naming the file; `UsageError` for an unsuitable report or another program's file.
  @discardableResult
  public func write(formats: [ReportFormat], to directory: URL) throws -> [URL] {
    try formats.flatMap { try $0.write(self, to: directory) }
  }
}
