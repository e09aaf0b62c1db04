import Foundation
@testable import TestSupport
import Testing

/// The page passes the validator of another project. No browser is needed.
@Suite struct ValidatorTests {
  /// Wrong warnings of tidy, each with the reason.
  private static let falseWarnings: [(words: String, reason: String)] = [
    ("<data> is not approved by W3C", "HTML has had the element since 2014; tidy 5.6 does not know it"),
    ("missing </summary> before <h2>", "HTML allows a heading in a summary since 2022"),
    ("missing </summary> before <h3>", "HTML allows a heading in a summary since 2022"),
    ("discarding unexpected </summary>", "it is the end of a summary whose heading tidy did not allow"),
    ("trimming empty <summary>", "it is a summary whose heading tidy did not allow"),
  ]

  /// Returns the warnings of tidy about a page but the wrong ones.
  private func problems(_ page: URL) throws -> [String] {
    // Without its name an unknown element is an error, and what is in it is not validated.
    let tidy = try #require(Self.tidy)
    let (_, errors, status) = try runProgram([tidy, "-quiet", "-errors", "--new-inline-tags", "data", page.path])
    #expect(status < 2 || !errors.isEmpty)
    return errors.split(separator: "\n").map(String.init).filter { line in
      !Self.falseWarnings.contains { line.hasSuffix($0.words) }
    }
  }

  static let tidy = installedProgram("tidy")

  @Test(.enabled(if: tidy != nil, "tidy is missing, so HTML is not validated; apt-get install tidy"))
  func `tidy finds nothing wrong with a page`() throws {
    for page in try [ReportFiles.example.get().page, ReportFiles.golden.get()] {
      expectNone(try problems(page), page.lastPathComponent)
    }
    try withTemporaryDirectory { directory in
      _ = try SampleComparison.value.write(formats: [.html], to: directory)
      let page = directory.appendingPathComponent("comparison.html")
      expectNone(try problems(page), "comparison.html")
      // Each planted fault is found.
      let text = try directory.text("comparison.html")
      for (sound, faulty) in [
        ("</section>", ""), ("</h2>", "</h3>"), ("<p>", "<p odd=\"1\">"), ("<p>", "<nonsense><p>"),
      ] {
        let range = try #require(text.range(of: sound), "\(sound)")
        try Data(text.replacingCharacters(in: range, with: faulty).utf8).write(to: page)
        #expect(try !problems(page).isEmpty, "\(faulty)")
      }
    }
  }
}

extension PageTests {
  /// The pictures that are files of their own.
  @Suite struct PictureFileTests {
    @Test func `every picture can be shown in another page`() throws {
      let charts = try ReportFiles.example.get().charts
      let images = charts.map { "<img alt=\"\" src=\"\($0.absoluteString)\">" }.joined()
      let page = try Browser.open(html: "<!DOCTYPE html><title>x</title>\(images)")
      let widths: [Int] = try page.evaluate("[...document.images].map(image => image.naturalWidth)")
      #expect(widths.count == charts.count && widths.allSatisfy { $0 >= 300 }, "\(widths)")
      // Each picture is a request of the page.
      try page.close()
    }

    /// The checks need the body of a page, so the files are put into one, each with its own stylesheet.
    @Test(arguments: [false, true]) func `texts of picture files are whole and can be read`(dark: Bool) throws {
      let pictures = try ReportFiles.example.get().charts.map { chart in
        try String(contentsOf: chart, encoding: .utf8).split(separator: "\n", maxSplits: 1)[1]
      }
      #expect(pictures.allSatisfy { $0.hasPrefix("<svg") && $0.contains("<style>") })
      let page = try Browser.open(
        html:
          "<!DOCTYPE html><html lang=\"en\"><title>x</title><body>\(pictures.joined(separator: "\n"))</body></html>",
        on: Page.Screen(isDark: dark))
      for check in [PageCheck.pictureText, .contrast, .pictures] {
        expectNone(try check.findings(page), "\(check)")
      }
      try page.done()
    }
  }
}
