/// The page of a GitHub Actions job: the Markdown of the report, at the end of the file that the environment names.
public struct GitHubSummaryFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "github-summary"
  /// `github-summary.md`, where there is no file to append to.
  public let fileNames = ["github-summary.md"]
  /// GitHub tells each step its file.
  public let destination = FormatDestination.appended(toFileIn: "GITHUB_STEP_SUMMARY")

  /// Creates the format.
  public init() {}

  /// The text.
  public func text(_ page: Page) -> String { MarkdownFormat.text(page) }
}

/// GitHub's workflow commands: an error for each failed cell, a warning for what makes the figures doubtful, a notice
/// with the verdict. GitHub shows ten of each kind.
public struct GitHubAnnotationsFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "github-annotations"
  /// `github-annotations.txt`.
  public let fileNames = ["github-annotations.txt"]
  /// Workflow commands are read from the output of a step.
  public let destination = FormatDestination.standardOutput

  /// Creates the format.
  public init() {}

  /// One line for each annotation.
  public func text(_ page: Page) -> String {
    let model = page.model
    var lines = model.rows(.failed).map { row in
      GitHubCommand.line("error", "storage-bench: FAILED", "\(row.cell.name): \(row.note)")
    }
    lines += model.warnings.map { GitHubCommand.line("warning", "storage-bench", $0) }
    lines += VerdictSentences.winners(model.groups).prefix(9).map {
      GitHubCommand.line("notice", "storage-bench", $0.text)
    }
    if lines.isEmpty { lines = [GitHubCommand.line("notice", "storage-bench", Phrases.count(model.rows))] }
    return lines.map { $0 + "\n" }.joined()
  }
}
