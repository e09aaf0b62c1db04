import Foundation
@testable import StorageReport
import Testing

/// What validators of other projects say of the page and of the pictures. No browser is needed.
@Suite struct ValidatorTests {
  /// What tidy says that is not so, each with the reason.
  private static let falseWarnings: [(words: String, reason: String)] = [
    ("<data> is not approved by W3C", "HTML has had the element since 2014; tidy 5.6 does not know it"),
    ("missing </summary> before <h2>", "HTML allows a heading in a summary since 2022"),
    ("discarding unexpected </summary>", "it is the end of a summary whose heading tidy did not allow"),
    ("trimming empty <summary>", "it is a summary whose heading tidy did not allow"),
  ]

  /// What tidy says of a page, without what is not so.
  private func problems(_ page: URL) throws -> [String] {
    // Without its name an unknown element is an error, and what is in it is not validated.
    let said = try Tool.tidy.run(["-quiet", "-errors", "--new-inline-tags", "data", page.path])
    #expect(said.code < 2 || !said.messages.isEmpty)
    return said.messages.filter { line in !Self.falseWarnings.contains { line.hasSuffix($0.words) } }
  }

  @Test(.enabled(if: Tool.tidy.isInstalled, "tidy is missing, so HTML is not validated; apt-get install tidy"))
  func `tidy finds nothing wrong with a page`() throws {
    for page in try [ReportFiles.example.get().page, ReportFiles.golden.get()] {
      let found = try problems(page)
      #expect(found.isEmpty, "\(page.lastPathComponent): \(found.prefix(20).joined(separator: "\n"))")
    }
    let comparison = try HTMLFormat.text(ReportFiles.comparison().document)
    try Self.withFile(comparison, "comparison.html") { page in
      let found = try problems(page)
      #expect(found.isEmpty, "\(found.prefix(20).joined(separator: "\n"))")
    }
  }

  @Test(
    .enabled(if: Tool.tidy.isInstalled, "tidy is missing, so HTML is not validated; apt-get install tidy"),
    arguments: [
      ("<section>", "missing </section>"), ("<p id='a'>x</p><p id='a'>x</p>", "\"a\" already defined"),
      ("<h2>x</h3>", "missing </h2>"), ("<nonsense>x</nonsense>", "<nonsense> is not recognized"),
      ("<p odd='1'>x</p>", "proprietary attribute \"odd\""), ("<data value='1'><b>x</data></b>", "unexpected data"),
      ("<p>a & b &foo; c</p>", "&"), ("<img src='x'>", "lacks \"alt\""),
    ])
  func `tidy finds what is wrong`(body: String, words: String) throws {
    let text =
      "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>x</title></head><body>\(body)</body></html>"
    try Self.withFile(text, "wrong.html") { page in
      let found = try problems(page)
      #expect(found.contains { $0.contains(words) }, "\(found)")
    }
  }

  @Test(
    .enabled(if: Tool.xmllint.isInstalled, "xmllint is missing, so SVG is not validated; apt-get install libxml2-utils")
  )
  func `every picture is well-formed XML`() throws {
    let charts = try ReportFiles.example.get().charts
    #expect(charts.count > 10)
    let said = try Tool.xmllint.run(["--noout", "--nonet"] + charts.map(\.path))
    #expect(said.code == 0 && said.messages.isEmpty, "\(said.messages.prefix(20).joined(separator: "\n"))")
    // One that is not is found.
    let text = try String(contentsOf: charts[0], encoding: .utf8)
    try Self.withFile(text.replacing("</svg>", with: "<g></svg>"), "wrong.svg") { file in
      let code = try Tool.xmllint.run(["--noout", file.path]).code
      #expect(code != 0)
    }
  }

  /// Has a text in a file of the given name while something is done with it.
  private static func withFile(_ text: String, _ name: String, _ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    try body(file)
  }
}

extension PageTests {
  /// The pictures that are files of their own.
  @Suite struct PictureFileTests {
    @Test func `every picture can be shown in another page`() async throws {
      let charts = try ReportFiles.example.get().charts
      let wrong = charts[0].deletingLastPathComponent().appendingPathComponent("missing.svg")
      let images = (charts + [wrong]).map { "<img alt=\"\" src=\"\($0.absoluteString)\">" }.joined()
      let page = try await Browser.open(html: "<!DOCTYPE html><title>x</title>\(images)")
      let widths: [Int] = try await page.evaluate("[...document.images].map(image => image.naturalWidth)")
      #expect(widths.dropLast().allSatisfy { $0 >= 300 } && widths.last == 0, "\(widths)")
      try await page.close()
    }

    @Test func `every picture can be opened`() async throws {
      let charts = try ReportFiles.example.get().charts
      let page = try await Browser.open(charts[0])
      for chart in charts {
        try await page.navigate(to: chart.absoluteString)
        #expect(try await page.evaluate("document.documentElement.tagName", as: String.self) == "svg")
        #expect(page.problems == [], "\(chart.lastPathComponent)")
        page.forget()
      }
      try await page.close()
    }

    /// The checks look into a page's body: the files are put into one, each with its own stylesheet.
    @Test(arguments: [false, true]) func `the texts of picture files are whole and can be read`(dark: Bool) async throws
    {
      let pictures = try ReportFiles.example.get().charts.map { chart in
        try String(contentsOf: chart, encoding: .utf8).split(separator: "\n", maxSplits: 1)[1]
      }
      #expect(pictures.allSatisfy { $0.hasPrefix("<svg") && $0.contains("<style>") })
      let page = try await Browser.open(
        html:
          "<!DOCTYPE html><html lang=\"en\"><title>x</title><body>\(pictures.joined(separator: "\n"))</body></html>",
        dark: dark)
      for check in [PageCheck.pictureText, .contrast, .pictures] {
        let findings = try await check.findings(page)
        #expect(findings.isEmpty, "\(findings.prefix(10).joined(separator: "\n"))")
      }
      try await page.close()
    }
  }
}
