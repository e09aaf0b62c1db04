import StorageContract

/// `junit.xml`: a cell or a rule is a test case, what failed or regressed a failure, what was not run or not judged is
/// skipped.
///
/// The form is that of the schema that Jenkins publishes for its JUnit plugin; GitLab, Azure and Buildkite read it.
public struct JUnitFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "junit"

  /// Creates the format.
  public init() {}

  /// One file.
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

  /// By the name of the outermost element.
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

/// The page of a GitHub Actions job: the Markdown of the report, at the end of the file that the environment names.
public struct GitHubSummaryFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "github-summary"
  /// GitHub tells each step its file.
  public let destination = FormatDestination.appended(toFileIn: "GITHUB_STEP_SUMMARY")

  /// Creates the format.
  public init() {}

  /// `github-summary.md`, where there is no file to append to.
  public func files(_ report: any Report) -> [TextFile] {
    [TextFile("github-summary.md", MarkdownFormat.text(report.document))]
  }

  /// As Markdown.
  public func recognizes(_ head: String) -> Bool { MarkdownFormat.isReport(head) }
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
  public func files(_ report: any Report) -> [TextFile] {
    [TextFile("github-annotations.txt", report.annotations.map { Self.line($0) + "\n" }.joined())]
  }

  /// By the title of the first command.
  public func recognizes(_ head: String) -> Bool {
    ["error", "warning", "notice"].contains { head.hasPrefix("::\($0) title=storage-bench") }
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
          // The command is shown in the job's log, too.
          default: Array(String(scalar).visible.unicodeScalars)
          }
        }))
  }

  /// A property, which must not end at a colon or comma either.
  private static func property(_ text: String) -> String {
    // By scalars: a colon with an accent on it is one.
    data(text).unicodeScalars.map { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : String($0) }.joined()
  }
}
