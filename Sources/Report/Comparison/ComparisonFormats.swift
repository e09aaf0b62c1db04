import StorageContract

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
