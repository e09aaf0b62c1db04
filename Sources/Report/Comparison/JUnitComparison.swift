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
    let count = { (outcome: Judgement.Outcome) in judgements.count { $0.verdict.outcome == outcome } }
    let skipped = judgements.count(where: isSkipped)
    let numbers =
      "tests=\"\(judgements.count)\" failures=\"\(count(.regression))\" errors=\"\(count(.failure))\""
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuites name=\"storage-bench\" \(numbers)>",
      "  <testsuite name=\"\(escaped(comparison.subject.rawValue))\" \(numbers) skipped=\"\(skipped)\">",
    ]
    lines += judgements.flatMap(testcase)
    if !comparison.notes.isEmpty {
      lines.append("    <system-out>\(escaped(comparison.notes.joined(separator: "\n")))</system-out>")
    }
    return (lines + ["  </testsuite>", "</testsuites>"]).joined(separator: "\n") + "\n"
  }

  private static func isSkipped(_ judgement: Judgement) -> Bool {
    judgement.verdict.outcome == .unjudged || judgement.verdict == .notAvailable
  }

  private static func testcase(_ judgement: Judgement) -> [String] {
    // The class name groups cells by backend in a CI system's list.
    let group = judgement.name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? ""
    let opening = "    <testcase name=\"\(escaped(judgement.name))\" classname=\"\(escaped(group))\""
    let details = ComparisonSentences.details(judgement)
    let message = "message=\"\(escaped(details.isEmpty ? judgement.verdict.rawValue : details))\""
    let child: String
    switch judgement.verdict.outcome {
    case .failure: child = "<error \(message) type=\"failed\"/>"
    case .regression: child = "<failure \(message) type=\"\(judgement.verdict.rawValue)\"/>"
    case .unjudged: child = "<skipped \(message)/>"
    case .improvement, .fine:
      if judgement.verdict == .notAvailable {
        child = "<skipped \(message)/>"
      } else if details.isEmpty {
        return [opening + "/>"]
      } else {
        child = "<system-out>\(escaped(details))</system-out>"
      }
    }
    return [opening + ">", "      \(child)", "    </testcase>"]
  }

  /// A text within XML. Characters that XML 1.0 cannot hold become the replacement character.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "&#10;"
      case "\t", "\r": result += " "
      default:
        let isAllowed = scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
        result.unicodeScalars.append(isAllowed ? scalar : "\u{FFFD}")
      }
    }
    return result
  }
}
