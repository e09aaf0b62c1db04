import Foundation

/// `report.md`: verdict first, tables folded, short enough for a comment under a pull request.
public struct MarkdownFormat: ReportFormat {
  /// What stands after `-f`.
  public let id = "markdown"
  /// `report.md`.
  public let fileNames = ["report.md"]

  /// The most bytes that a file has.
  public static let limit = 65_000

  /// Creates the format.
  public init() {}

  /// Writes the page.
  ///
  /// - Throws: ``ReportWriteError`` naming the file.
  public func write(_ model: ReportModel, to directory: URL) throws -> [URL] {
    let url = directory.appendingPathComponent(fileNames[0])
    try AtomicFile.write(Self.text(model), to: url)
    return [url]
  }

  /// The file's text.
  public static func text(_ model: ReportModel) -> String {
    let page = MarkdownPage(model: model)
    return MarkdownDocument(title: page.title, blocks: page.blocks).text(limit: limit)
  }
}
