import Foundation

/// Tables for spreadsheets and programs: `summary.csv` and `trials.csv` of a run.
public struct CSVFormat: ReportFormat {
  /// What stands after `-f`.
  public let id = "csv"

  /// Creates the format.
  public init() {}

  /// Writes the report's own tables.
  public func write(_ report: any Report, to directory: URL) throws -> [URL] {
    try report.writeTables(to: directory)
  }
}

/// What the report says, for programs: `report.json`, `comparison.json`.
public struct JSONFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "json"

  /// Creates the format.
  public init() {}

  /// One file, its keys sorted.
  public func files(_ report: any Report) throws -> [(name: String, text: String)] {
    [("\(report.name).json", try report.json())]
  }
}
