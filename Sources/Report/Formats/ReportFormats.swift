import Foundation
import StorageContract
import StorageRunFiles

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

extension ReportModel {
  /// Writes formats into a directory, which is made if it is missing. Each file is written whole or not at all.
  ///
  /// - Parameters:
  ///   - formats: Such as ``ReportFormats/all``, or what ``ReportFormats/named(_:)`` found.
  ///   - directory: Where to, or nil for the run's own directory.
  /// - Returns: The files, in the order in which they were written.
  /// - Throws: ``FileWriteError`` naming the file.
  @discardableResult
  public func write(formats: [any ReportFormat], to directory: URL? = nil) throws -> [URL] {
    let page = Page(self)
    return try formats.flatMap { try $0.write(page, to: directory ?? self.directory.url) }
  }
}
