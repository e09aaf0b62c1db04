import Foundation
import StorageContract
import StorageRunFiles

/// A format that a report can be written in.
///
/// To add one, write a file with a conforming type and add its line to ``ReportFormats/all``.
public protocol ReportFormat: Sendable {
  /// What stands after `-f`: `csv`.
  var id: String { get }

  /// Where the text belongs when it is asked for.
  var destination: FormatDestination { get }

  /// Writes the files, each whole or not at all.
  ///
  /// - Returns: The files written.
  /// - Throws: `FileWriteError` naming the file; `UsageError` where the run's trials cannot be read, or where a file is
  ///   there that this format has not written.
  func write(_ report: any Report, to directory: URL) throws -> [URL]

  /// Whether this format has written a file, by its first bytes, of which `AtomicFile.headLength` are given: only such
  /// a file is replaced.
  func recognizes(_ head: String) -> Bool
}

/// Where a format's text goes.
public enum FormatDestination: Sendable {
  /// Into files of the output directory.
  case files
  /// To standard output, where a CI system reads it.
  case standardOutput
  /// To the end of the file that an environment variable names, or into a file where it is not set.
  case appended(toFileIn: String)
}

/// A format that is text, in one file or a few.
public protocol TextFormat: ReportFormat {
  /// The files, each with what writes it.
  func files(_ report: any Report) throws -> [TextFile]
}

extension ReportFormat {
  /// Most formats are files.
  public var destination: FormatDestination { .files }
}

extension TextFormat {
  /// Writes the texts into files.
  ///
  /// - Throws: `FileWriteError` naming the file.
  public func write(_ report: any Report, to directory: URL) throws -> [URL] {
    try files(report).map { file in
      try file.write(to: directory) { recognizes(String(decoding: $0, as: UTF8.self)) }
    }
  }

  /// The text where there is one file; all of them one after the other where there are more.
  public func text(_ report: any Report) throws -> String { try files(report).map { try $0.text() }.joined() }
}

/// The formats there are.
public enum ReportFormats {
  /// All of them. To add a format, add its line.
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

  /// Those that every run has, unless others are asked for.
  public static let usual: [any ReportFormat] = [CSVFormat(), MarkdownFormat(), HTMLFormat(), SVGFormat()]

  /// Those of a comparison, which has no tables for spreadsheets.
  public static let ofComparisons: [any ReportFormat] = all.filter { !($0 is CSVFormat) }

  /// Those of the record of crash tests, which has no figures. It is in full, however long.
  public static let ofCrashTests: [any ReportFormat] = [JSONFormat(), MarkdownFormat(limit: .max), HTMLFormat()]

  /// Whether any of the files of a directory was written by one of the formats, or is a folder of their pictures.
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

  /// Finds formats by their ids.
  ///
  /// - Throws: `UsageError` naming an unknown one and the nearest there is.
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
  /// Writes formats into a directory, which is made if it is missing. Each file is written whole or not at all.
  ///
  /// - Parameters:
  ///   - formats: Such as ``ReportFormats/all``, or what ``ReportFormats/named(_:among:)`` found.
  ///   - directory: Where to.
  /// - Returns: The files, in the formats' order.
  /// - Throws: `FileWriteError` naming the file.
  @discardableResult
  public func write(formats: [any ReportFormat], to directory: URL) throws -> [URL] {
    try formats.flatMap { try $0.write(self, to: directory) }
  }
}
