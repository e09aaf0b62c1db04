import StorageContract

/// The format of `junit.xml`, a list of test cases for CI systems. Each benchmark or rule is a test case, which is
/// skipped if it was not run or not judged.
///
/// The format follows the schema of Jenkins' JUnit plugin, which GitLab, Azure and Buildkite can read, too.
public struct JUnitFormat: TextFormat {
  /// The name by which the command-line option `-f` selects this format.
  public let id = "junit"

  /// Creates the format of `junit.xml`, which has no settings.
  public init() {}

  /// Returns the file `junit.xml` with the test cases of a report.
  public func files(_ report: any Report) -> [TextFile] {
    let tests = report.testSuite
    func count(_ isCounted: (TestSuite.Outcome) -> Bool) -> String {
      String(tests.cases.count { isCounted($0.outcome) })
    }
    let all = String(tests.cases.count)
    let failures = count { if case .failed = $0 { true } else { false } }
    let errors = count { if case .error = $0 { true } else { false } }
    let skipped = count { if case .skipped = $0 { true } else { false } }
    var suite = Element(
      "testsuite",
      ["name": tests.name, "tests": all, "failures": failures, "errors": errors, "skipped": skipped],
      tests.cases.map(Self.testcase))
    if !tests.output.isEmpty { suite.append(Element("system-out", text: tests.output.joined(separator: "\n"))) }
    let suites = Element(
      "testsuites", ["name": "storage-bench", "tests": all, "failures": failures, "errors": errors], [suite])
    return [TextFile("junit.xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + suites.text(.indentedXML))]
  }

  /// Returns whether `head` is the beginning of a `junit.xml` that this program wrote.
  public func recognizes(_ head: String) -> Bool {
    head.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"storage-bench\" ")
  }

  private static func testcase(_ test: TestSuite.Case) -> Element {
    let children: [Element] =
      switch test.outcome {
      case .passed(nil): []
      case .passed(let output?): [Element("system-out", text: output)]
      case .failed(let message, let type): [Element("failure", ["message": message, "type": type])]
      case .error(let message, let type): [Element("error", ["message": message, "type": type])]
      case .skipped(let message): [Element("skipped", ["message": message])]
      }
    return Element("testcase", ["name": test.name, "classname": test.group], children)
  }
}

/// The format of a job summary in GitHub Actions: Markdown that is appended to a file.
public struct GitHubSummaryFormat: TextFormat {
  /// The name by which the command-line option `-f` selects this format.
  public let id = "github-summary"
  /// The destination of the job summary: the end of the file whose path is in the environment variable
  /// `GITHUB_STEP_SUMMARY`.
  public let destination = FormatDestination.appended(toFileIn: "GITHUB_STEP_SUMMARY")

  /// Creates the format of a job summary in GitHub Actions. The format has no settings.
  public init() {}

  /// Returns the job summary as the file `github-summary.md`. A file with this name is written only if the environment
  /// variable `GITHUB_STEP_SUMMARY` is not set.
  public func files(_ report: any Report) -> [TextFile] {
    [TextFile("github-summary.md", MarkdownFormat.text(report.document))]
  }

  /// Returns whether `head` is the beginning of a Markdown report that this program wrote.
  public func recognizes(_ head: String) -> Bool { MarkdownFormat.isReport(head) }
}

/// The format of messages that GitHub Actions shows beside a build: lines such as `::error title=...::...`. GitHub
/// shows only ten messages of each severity.
public struct GitHubAnnotationsFormat: TextFormat {
  /// The name by which the command-line option `-f` selects this format.
  public let id = "github-annotations"
  /// The destination of the messages: standard output, which GitHub Actions searches for messages.
  public let destination = FormatDestination.standardOutput

  /// Creates the format of GitHub Actions messages, which has no settings.
  public init() {}

  /// Returns one text file with a line for each error, warning and notice of a report.
  public func files(_ report: any Report) -> [TextFile] {
    [TextFile("github-annotations.txt", report.annotations.map { Self.line($0) + "\n" }.joined())]
  }

  /// Returns whether `head` is the beginning of a file that this program wrote for GitHub Actions. The file consists of
  /// messages that GitHub shows beside a build: lines such as `::error title=storage-bench::...`.
  public func recognizes(_ head: String) -> Bool {
    ["error", "warning", "notice"].contains { head.hasPrefix("::\($0) title=storage-bench") }
  }

  private static func line(_ annotation: Annotation) -> String {
    let title = annotation.title.isEmpty ? "storage-bench" : "storage-bench: \(annotation.title)"
    return "::\(annotation.level.rawValue) title=\(property(title))::\(data(annotation.message))"
  }

  private static func data(_ text: String) -> String {
    // The text is split by Unicode scalars, because CR LF is a single `Character`.
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
          switch scalar {
          case "%": Array("%25".unicodeScalars)
          case "\r": Array("%0D".unicodeScalars)
          case "\n": Array("%0A".unicodeScalars)
          // Control characters are escaped, because a reader sees the lines in the job's log, too.
          default: Array(String(scalar).visible.unicodeScalars)
          }
        }))
  }

  private static func property(_ text: String) -> String {
    // The text is split by Unicode scalars, because a colon with a combining accent is a single `Character`.
    data(text).unicodeScalars.map { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : String($0) }.joined()
  }
}
