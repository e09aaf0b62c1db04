/// The page of a GitHub Actions job: the Markdown of the report, at the end of the file that the environment names.
public struct GitHubSummaryFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "github-summary"
  /// GitHub tells each step its file.
  public let destination = FormatDestination.appended(toFileIn: "GITHUB_STEP_SUMMARY")

  /// Creates the format.
  public init() {}

  /// `github-summary.md`, where there is no file to append to.
  public func files(_ report: any Report) -> [(name: String, text: String)] {
    [("github-summary.md", MarkdownFormat.text(report.document))]
  }
}

/// GitHub's workflow commands, which annotate a job. GitHub shows ten of each kind.
public struct GitHubAnnotationsFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "github-annotations"
  /// Workflow commands are read from the output of a step.
  public let destination = FormatDestination.standardOutput

  /// Creates the format.
  public init() {}

  /// A line for each annotation.
  public func files(_ report: any Report) -> [(name: String, text: String)] {
    [("github-annotations.txt", report.annotations.map { Self.line($0) + "\n" }.joined())]
  }

  private static func line(_ annotation: Annotation) -> String {
    let title = annotation.title.isEmpty ? "storage-bench" : "storage-bench: \(annotation.title)"
    return "::\(annotation.level.rawValue) title=\(property(title))::\(data(annotation.message))"
  }

  private static func data(_ text: String) -> String {
    // By scalars: CR LF is one character.
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
          switch scalar {
          case "%": Array("%25".unicodeScalars)
          case "\r": Array("%0D".unicodeScalars)
          case "\n": Array("%0A".unicodeScalars)
          default: [scalar]
          }
        }))
  }

  /// A property, which must not end at a colon or comma either.
  private static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
