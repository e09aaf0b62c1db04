import StorageContract

extension ReportFormat {
  /// The format of `junit.xml`: test cases for CI systems, in the schema of Jenkins' JUnit plugin.
  public static let junit = ReportFormat(
    id: "junit", files: { report in [TextFile(name: "junit.xml") { try $0(junitText(report)) }] },
    recognizes: { $0.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"storage-bench\" ") })

  private static func junitText(_ report: any Report) -> String {
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
      tests.cases.map(testcase))
    if !tests.output.isEmpty { suite.append(Element("system-out", text: tests.output.joined(separator: "\n"))) }
    let suites = Element(
      "testsuites", ["name": "storage-bench", "tests": all, "failures": failures, "errors": errors], [suite])
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + suites.text(.indentedXML)
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

  /// The format of a GitHub Actions job summary: Markdown that is appended to the file whose path is in the
  /// environment variable `GITHUB_STEP_SUMMARY`. Without the variable, `github-summary.md` is written.
  public static let githubSummary = ReportFormat(
    id: "github-summary", destination: .appended(toFileIn: "GITHUB_STEP_SUMMARY"),
    files: { report in [TextFile(name: "github-summary.md") { try $0(MarkdownFormat.text(report.document)) }] },
    recognizes: MarkdownFormat.isReport)

  /// The report format for annotations in GitHub Actions: lines such as `::error title=...::...` on standard output.
  /// GitHub shows only ten of each severity.
  public static let githubAnnotations = ReportFormat(
    id: "github-annotations", destination: .standardOutput,
    files: { report in
      [TextFile(name: "github-annotations.txt") { try $0(report.annotations.map { line($0) + "\n" }.joined()) }]
    },
    recognizes: { head in
      ["error", "warning", "notice"].contains { head.hasPrefix("::\($0) title=storage-bench") }
    })

  private static func line(_ annotation: Annotation) -> String {
    let title = annotation.title.isEmpty ? "storage-bench" : "storage-bench: \(annotation.title)"
    return "::\(annotation.level.rawValue) title=\(property(title))::\(data(annotation.message))"
  }

  private static func data(_ text: String) -> String {
    // The text is split by Unicode scalars, because CR LF is a single `Character`.
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "%": "%25"
      case "\r": "%0D"
      case "\n": "%0A"
      // Control characters are escaped, because the lines also appear in the job's log.
      default: String(scalar).visible
      }
    }.joined()
  }

  private static func property(_ text: String) -> String {
    // The text is split by Unicode scalars, because a colon with a combining accent is a single `Character`.
    data(text).unicodeScalars.map { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : String($0) }.joined()
  }
}
