import StorageContract
import StorageStatistics

/// The page of a GitHub Actions job: the Markdown of the comparison, at the end of the file that the environment names.
public struct GitHubSummary: ComparisonFormat {
  /// What stands after `-f`.
  public let id = "github-summary"
  /// GitHub tells each step its file.
  public let destination = ComparisonDestination.appended(toFileIn: "GITHUB_STEP_SUMMARY")

  /// Creates the format.
  public init() {}

  /// `github-summary.md`, where there is no file to append to.
  public func files(_ comparison: Comparison) -> [(name: String, text: String)] {
    [("github-summary.md", MarkdownComparison.text(comparison))]
  }
}

/// GitHub's workflow commands: an error for each regression, a warning for what was not judged, a notice for what got
/// better. GitHub shows ten of each kind; the worst come first.
public struct GitHubAnnotations: ComparisonFormat {
  /// What stands after `-f`.
  public let id = "github-annotations"
  /// Workflow commands are read from the output of a step.
  public let destination = ComparisonDestination.standardOutput

  /// Creates the format.
  public init() {}

  /// One line for each finding.
  public func files(_ comparison: Comparison) -> [(name: String, text: String)] {
    var lines: [String] = []
    for verdict in ChangeVerdict.allCases {
      let command: String
      switch verdict.result {
      case .failure, .regression: command = "error"
      case .notJudged: command = "warning"
      case .improvement: command = "notice"
      case .fine: continue
      }
      for judgement in comparison.judgements(verdict) {
        let text = "\(judgement.name): \(ComparisonSentences.details(judgement))"
        lines.append(GitHubCommand.line(command, "storage-bench: \(ComparisonSentences.mark(verdict))", text))
      }
    }
    for sentence in [ComparisonSentences.unfit(comparison), comparison.missing].compactMap({ $0 }) {
      lines.append(GitHubCommand.line("warning", "storage-bench", sentence))
    }
    if let sentence = ComparisonSentences.detectable(comparison) {
      lines.append(GitHubCommand.line("notice", "storage-bench", sentence))
    }
    return [("github-annotations.txt", lines.map { $0 + "\n" }.joined())]
  }
}
