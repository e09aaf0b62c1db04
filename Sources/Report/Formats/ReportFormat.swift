import Foundation
import StorageRunFiles

/// A format that a run can be written in.
///
/// To add one, write a file with a conforming type and add its line to ``ReportFormats/all``.
public protocol ReportFormat: Sendable {
  /// What stands after `-f`: `csv`.
  var id: String { get }

  /// The names of the files that it writes: `report.md`.
  var fileNames: [String] { get }

  /// Where the text belongs when it is asked for.
  var destination: FormatDestination { get }

  /// Writes the files, each whole or not at all.
  ///
  /// - Parameter page: The run as people read it; what programs read is made from its ``Page/model``.
  /// - Returns: The files written.
  /// - Throws: ``FileWriteError`` naming the file; `UsageError` where the run's trials cannot be read.
  func write(_ page: Page, to directory: URL) throws -> [URL]
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

extension ReportFormat {
  /// Most formats are files.
  public var destination: FormatDestination { .files }
}

/// A format that is one text.
public protocol TextFormat: ReportFormat {
  /// The text, with a line's end at its end.
  func text(_ page: Page) throws -> String
}

extension TextFormat {
  /// Writes the text into the first of the files.
  ///
  /// - Throws: ``FileWriteError`` naming the file.
  public func write(_ page: Page, to directory: URL) throws -> [URL] {
    let url = directory.appendingPathComponent(fileNames[0])
    try AtomicFile.write(text(page), to: url)
    return [url]
  }
}
