import Foundation
import StorageContract
import StorageRunFiles

/// A file format of reports.
///
/// To add a format, write a file with a conforming type and add its line to ``ReportFormats/all``.
public protocol ReportFormat: Sendable {
  /// The format's name for the option `-f`: `csv`.
  var id: String { get }

  /// The destination of the format's text.
  var destination: FormatDestination { get }

  /// Writes the files, each one completely or not at all.
  ///
  /// - Returns: The files written.
  /// - Throws: `FileWriteError` naming the file; `UsageError` if the run's trials cannot be read, or if an existing
  ///   file was not written by this format.
  func write(_ report: any Report, to directory: URL) throws -> [URL]

  /// Returns whether this format wrote a file with these first bytes (`AtomicFile.headLength`), so it may be replaced.
  func recognizes(_ head: String) -> Bool
}

/// The destination of a format's text.
public enum FormatDestination: Sendable {
  /// Files in the output directory.
  case files
  /// Standard output, which a CI system reads.
  case standardOutput
  /// The end of the file that an environment variable names, or a new file if the variable is not set.
  case appended(toFileIn: String)
}

/// A text format with one or several files.
public protocol TextFormat: ReportFormat {
  /// Returns the files of a report, each with the function that writes it.
  func files(_ report: any Report) throws -> [TextFile]
}

extension ReportFormat {
  /// The default destination, ``FormatDestination/files``.
  public var destination: FormatDestination { .files }
}

extension TextFormat {
  /// Writes the report's files.
  ///
  /// - Throws: `FileWriteError` naming the file.
  public func write(_ report: any Report, to directory: URL) throws -> [URL] {
    try files(report).map { file in
      try file.write(to: directory) { recognizes(String(decoding: $0, as: UTF8.self)) }
    }
  }

  /// Returns the text of the report's file, or of all files one after the other.
  public func text(_ report: any Report) throws -> String { try files(report).map { try $0.text() }.joined() }
}

/// The available report formats.
public enum ReportFormats {
  /// All report formats. A new format needs a line in this list.
  public static let all: [any ReportFormat] = [
    CSVFormat(),
    MarkdownFormat(),
    HTMLFormat(),
    SVGFormat(),
    JSONFormat(),
    JUnitFormat(),
    BenchstatFormat(),
    BencherFormat(),
    GitHubSummaryFormat(),
    GitHubAnnotationsFormat(),
  ]

  /// The formats of a run, unless others are requested.
  public static let usual: [any ReportFormat] = [CSVFormat(), MarkdownFormat(), HTMLFormat(), SVGFormat()]

  /// The formats of a comparison, which has no tables for spreadsheets.
  public static let ofComparisons: [any ReportFormat] = all.filter { !($0 is CSVFormat) }

  /// The formats of the record of crash tests, which has no figures. Its Markdown is not limited in length.
  public static let ofCrashTests: [any ReportFormat] = [JSONFormat(), MarkdownFormat(limit: .max), HTMLFormat()]

  /// Returns whether any file of a directory was written by one of the formats, or is a folder of their charts.
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

  /// Returns the formats with the given ids, which are the values of `-f`.
  ///
  /// - Throws: `UsageError` naming an unknown id and the nearest known one.
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
  /// Writes formats into a directory, which is created if missing. Each file is written completely or not at all.
  ///
  /// - Parameters:
  ///   - formats: The formats, such as ``ReportFormats/all``, or the result of ``ReportFormats/named(_:among:)``.
  ///   - directory: The directory of the files.
  /// - Returns: The files, in the formats' order.
  /// - Throws: `FileWriteError` naming the file.
  @discardableResult
  public func write(formats: [any ReportFormat], to directory: URL) throws -> [URL] {
    try formats.flatMap { try $0.write(self, to: directory) }
  }
}
