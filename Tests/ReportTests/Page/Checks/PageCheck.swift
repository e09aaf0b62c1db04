import Foundation
import Testing

/// Expects that there are no findings, and lists the first ones.
func expectNone(_ findings: [String], _ words: String, at location: SourceLocation = #_sourceLocation) {
  let lines = findings.prefix(20).joined(separator: "\n  ")
  #expect(findings.isEmpty, "\(findings.count) findings: \(words)\n  \(lines)", sourceLocation: location)
}

/// A rule for pages. The function of checks.js with this name describes it and checks it in the page.
enum PageCheck {
  case overflow, cutText, pictureText, contrast, headings, tables, pictures, identifiers, scrollRegions
  case nothingHidden, firstScreen

  /// The rules for every page on every screen.
  static let all: [PageCheck] = [
    .overflow, .cutText, .pictureText, .contrast, .headings, .tables, .pictures, .identifiers, .scrollRegions,
  ]

  /// Returns the violations as sentences.
  ///
  /// - Throws: ``BrowserError`` if the script does.
  func findings(_ page: Page) throws -> [String] { try Self.findings(page, "checks.\(self)();") }

  /// Returns the findings of a script, which can use the declarations of checks.js.
  static func findings(_ page: Page, _ script: String) throws -> [String] {
    let declarations = try packageRoot.text("Tests/ReportTests/Page/Checks/checks.js")
    return try page.evaluate(
      """
      (() => {
        const findings = [];
        const add = sentence => findings.push(sentence);
        const WIDTH = \(page.screen.width);
        \(declarations)
        \(script)
        return [...new Set(findings)];
      })()
      """)
  }
}
