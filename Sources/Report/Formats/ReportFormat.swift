import Foundation
import StorageContract
import StorageRunFiles

/// A file format of reports, such as CSV or HTML.
///
/// To add a format, write a conforming type in a new file and add a line for it to ``ReportFormats/all``.
public protocol ReportFormat: Sendable {
  /// The name by which the command-line option `-f` selects the format: `csv`.
  var id: String { get }

  /// The destination of a report in this format, such as files.
  var destination: FormatDestination { get }

  /// Writes the files of a report. A file is written completely or not at all.
  ///
  /// - Returns: The files written.
  /// - Throws: `FileWriteError` naming the file; `UsageError` if the recorded measurements of the run cannot be read,
  ///   or if an existing file was not written by this format.
  func write(_ report: any Report, to directory: URL) throws -> [URL]

  /// Returns whether a file is of this format and may be replaced. `head` is the beginning of the file, at most
  /// `AtomicFile.headLength` bytes.
  func recognizes(_ head: String) -> Bool
}

/// The destination of a report's text.
public enum FormatDestination: Sendable {
  /// The destination of a report that is written as files, such as `report.html`, into the output directory.
  case files
  /// The destination of a report that is printed to standard output, which a CI system reads.
  case standardOutput
  /// The destination of a report that is appended to a file. The file's path is in the environment variable with this
  /// name, such as `GITHUB_STEP_SUMMARY`. If the variable is not set, a new file is written into the output directory.
  case appended(toFileIn: String)
}

/// A format whose files are text.
public protocol TextFormat: ReportFormat {
  /// Returns the text files of a report.
  func files(_ report: any Report) throws -> [TextFile]
}

extension ReportFormat {
  /// The destination of the format's text: by default ``FormatDestination/files``.
  public var destination: FormatDestination { .files }
}

extension TextFormat {
  /// Writes the text files of a report.
  ///
  /// - Throws: `FileWriteError` naming the file that cannot be written; `UsageError` if a file of the same name exists
  ///   that this program did not write.
  public func write(_ report: any Report, to directory: URL) throws -> [URL] {
    try files(report).map { file in
      try file.write(to: directory) { recognizes(String(decoding: $0, as: UTF8.self)) }
    }
  }

  /// Returns the text of a report in this format. If the format has several files, their texts are joined.
  public func text(_ report: any Report) throws -> String { try files(report).map { try $0.text() }.joined() }
}

/// The available report formats.
public enum ReportFormats {
  /// All report formats. A new format is added to this list.
  public static let all: [any ReportFormat] = [
    CSVFormat(),
    MarkdownFormat(),
    HTMLFormat(),
    SVGFormat(),
    PNGFormat(),
    JSONFormat(),
    JUnitFormat(),
    BenchstatFormat(),
    BencherFormat(),
    GitHubSummaryFormat(),
    GitHubAnnotationsFormat(),
  ]

  /// The formats in which a run is reported, unless the user requests others.
  public static let usual: [any ReportFormat] = [CSVFormat(), MarkdownFormat(), HTMLFormat(), SVGFormat()]

  /// The formats for a comparison, which has no CSV tables and no preview image.
  public static let ofComparisons: [any ReportFormat] = all.filter { !($0 is CSVFormat || $0 is PNGFormat) }

  /// The formats for the results of crash tests. The Markdown file has no size limit.
  public static let ofCrashTests: [any ReportFormat] = [JSONFormat(), MarkdownFormat(limit: .max), HTMLFormat()]

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
  public static func named(_ ids: [String], among formats: [any ReportFormat] = all) throws -> [any ReportFormat] {
    try ids.map { id in
      guard let format = formats.first(where: { $0.id == id }) else {
        throw UsageError(Nearest.sentence("format", id, among: formats.map(\.id)))
      }
      return format
    }
  }
}

extension Report {
  /// Writes the report in several formats into a directory, which is created if missing. Each file is written
  /// completely or not at all.
  ///
  /// - Returns: The written files, in the order of the formats.
  /// - Throws: `FileWriteError` naming the file; `UsageError` if a format does not suit the report, or if an existing
  ///   file was not written by this program.
  @discardableResult
  public func write(formats: [any ReportFormat], to directory: URL) throws -> [URL] {
    try formats.flatMap { try $0.write(self, to: directory) }
  }
}
