import Foundation
import StorageContract

/// A format that a comparison can be written in.
///
/// To add one, write a file with a conforming type and add its line to ``ComparisonFormats/all``.
public protocol ComparisonFormat: Sendable {
  /// What stands after `-f`: `junit`.
  var id: String { get }
  /// Where the text belongs when it is asked for.
  var destination: ComparisonDestination { get }
  /// The files, by name, with their texts.
  func files(_ comparison: Comparison) throws -> [(name: String, text: String)]
}

/// Where a format's text goes.
public enum ComparisonDestination: Sendable {
  /// Into files of the output directory.
  case files
  /// To standard output, where the CI system reads it.
  case standardOutput
  /// To the end of the file that an environment variable names, or into a file where it is not set.
  case appended(toFileIn: String)
}

/// The formats there are.
public enum ComparisonFormats {
  /// All of them. To add a format, add its line.
  public static let all: [any ComparisonFormat] = [
    MarkdownComparison(),
    JSONComparison(),
    JUnitComparison(),
    BenchstatComparison(),
    BencherComparison(),
    GitHubSummary(),
    GitHubAnnotations(),
  ]

  /// Finds formats by their ids.
  ///
  /// - Throws: `UsageError` naming an unknown one and the nearest there is.
  public static func named(_ ids: [String]) throws -> [any ComparisonFormat] {
    try ids.map { id in
      guard let format = all.first(where: { $0.id == id }) else {
        throw UsageError(Nearest.sentence("format", id, among: all.map(\.id)))
      }
      return format
    }
  }
}
