import StorageStatistics

/// `junit.xml`: a cell is a test case, a regression a failure, what was not judged is skipped.
///
/// The form is that of the schema which Jenkins publishes for its JUnit plugin; GitLab, Azure and Buildkite read it.
public struct JUnitComparison: ComparisonFormat {
  /// What stands after `-f`.
  public let id = "junit"
  /// A file.
  public let destination = ComparisonDestination.files

  /// Creates the format.
  public init() {}

  /// `junit.xml`.
  public func files(_ comparison: Comparison) -> [(name: String, text: String)] {
    [("junit.xml", Self.text(comparison))]
  }

  static func text(_ comparison: Comparison) -> String {
    let judgements = comparison.judgements
    let count = { (outcome: GateResult) in judgements.count { $0.verdict.result == outcome } }
    let skipped = judgements.count(where: isSkipped)
    let tests = String(judgements.count)
    let (failures, errors) = (String(count(.regression)), String(count(.failure)))
    var suite = Element(
      "testsuite",
      [
        "name": comparison.subject.rawValue, "tests": tests, "failures": failures, "errors": errors,
        "skipped": String(skipped),
      ], judgements.map(testcase))
    let sentences = [
      ComparisonSentences.unfit(comparison), comparison.missing, ComparisonSentences.detectable(comparison),
    ]
    let words = sentences.compactMap { $0 } + comparison.notes
    if !words.isEmpty { suite.append(Element("system-out", text: words.joined(separator: "\n"))) }
    let suites = Element(
      "testsuites", ["name": "storage-bench", "tests": tests, "failures": failures, "errors": errors], [suite])
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + suites.text(.indentedXML)
  }

  private static func isSkipped(_ judgement: Judgement) -> Bool {
    judgement.verdict.result == .notJudged || judgement.verdict == .notAvailable
  }

  private static func testcase(_ judgement: Judgement) -> Element {
    let details = ComparisonSentences.details(judgement)
    let message = details.isEmpty ? judgement.verdict.rawValue : details
    let children: [Element]
    switch judgement.verdict.result {
    case .failure: children = [Element("error", ["message": message, "type": "failed"])]
    case .regression: children = [Element("failure", ["message": message, "type": judgement.verdict.rawValue])]
    case .notJudged: children = [Element("skipped", ["message": message])]
    case .improvement, .fine:
      if judgement.verdict == .notAvailable {
        children = [Element("skipped", ["message": message])]
      } else {
        children = details.isEmpty ? [] : [Element("system-out", text: details)]
      }
    }
    // The class name groups cells by backend in a CI system's list.
    let group = judgement.name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? ""
    return Element("testcase", ["name": judgement.name, "classname": group], children)
  }
}
