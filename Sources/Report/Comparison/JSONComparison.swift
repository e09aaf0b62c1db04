import Foundation

/// `comparison.json`: the comparison itself, for programs.
public struct JSONComparison: ComparisonFormat {
  /// What stands after `-f`.
  public let id = "json"
  /// A file.
  public let destination = ComparisonDestination.files

  /// Creates the format.
  public init() {}

  /// `comparison.json`, its keys sorted.
  public func files(_ comparison: Comparison) throws -> [(name: String, text: String)] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return [("comparison.json", String(decoding: try encoder.encode(comparison), as: UTF8.self) + "\n")]
  }
}
