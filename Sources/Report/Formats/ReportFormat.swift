import Contract
import Foundation

/// A format that a run can be written in.
///
/// To add one, write a file with a conforming type and add its line to ``ReportFormats/all``.
public protocol ReportFormat: Sendable {
  /// What stands after `-f`: `csv`.
  var id: String { get }

  /// The names of the files that it writes: `report.md`.
  var fileNames: [String] { get }

  /// Writes the files, each whole or not at all.
  ///
  /// - Returns: The files written.
  /// - Throws: ``ReportWriteError`` naming the file; `UsageError` where the run's trials cannot be read.
  func write(_ model: ReportModel, to directory: URL) throws -> [URL]
}

/// The formats there are.
public enum ReportFormats {
  /// All of them. To add a format, add its line.
  public static let all: [any ReportFormat] = [
    CSVFormat(),
    MarkdownFormat(),
    HTMLFormat(),
    SVGFormat(),
  ]

  /// Finds formats by their ids.
  ///
  /// - Throws: `UsageError` naming an unknown one and the nearest there is.
  public static func named(_ ids: [String]) throws -> [any ReportFormat] {
    try ids.map { id in
      guard let format = all.first(where: { $0.id == id }) else {
        throw UsageError(Nearest.sentence("format", id, among: all.map(\.id)))
      }
      return format
    }
  }
}
