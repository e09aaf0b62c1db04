import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

extension PageTests {
  /// The report's page on every screen, with and without its script.
  @Suite struct ReportPageTests {
    /// A desktop and a phone, light and dark, with and without script.
    static let screens = [Page.Screen.desktop, .phone].flatMap { screen in
      [false, true].flatMap { isDark in
        [true, false].map { hasScript in
          Page.Screen(width: screen.width, height: screen.height, isDark: isDark, hasScript: hasScript)
        }
      }
    }
    /// The screens of which each script is on.
    static let withScript = screens.filter(\.hasScript)

    /// Checks a page as it opens and with all parts unfolded, and closes it.
    private func expect(
      _ page: Page, _ more: [PageCheck] = [], readsByKeyboard: Bool = false,
      at location: SourceLocation = #_sourceLocation
    ) async throws {
      for state in ["as it opens", "unfolded"] {
        if state == "unfolded" { try await page.run(Self.unfold) }
        for check in PageCheck.all + more where state != "unfolded" || check.name != PageCheck.firstScreen.name {
          Self.expectNone(try await check.findings(page), "\(check.name), \(page.screen), \(state)", at: location)
        }
      }
      if readsByKeyboard { Self.expectNone(try await KeyboardCheck.findings(page), "\(page.screen)", at: location) }
      try await page.done(sourceLocation: location)
    }

    private static func expectNone(_ findings: [String], _ words: String, at location: SourceLocation) {
      let lines = findings.prefix(20).joined(separator: "\n  ")
      #expect(findings.isEmpty, "\(findings.count) findings: \(words)\n  \(lines)", sourceLocation: location)
    }

    private static let unfold = "document.querySelectorAll('details').forEach(details => details.open = true)"

    @Test(arguments: screens) func `the page is in order, folded and unfolded`(screen: Page.Screen) async throws {
      try await expect(ReportFiles.open(on: screen), [.nothingHidden, .firstScreen])
    }

    /// The sample run has rows that failed, that were skipped and that are not available.
    @Test(arguments: [screens[0], screens[2], screens[4]])
    func `the page of a run with rows of every status is in order`(screen: Page.Screen) async throws {
      try await expect(Browser.open(ReportFiles.golden.get(), on: screen), [.nothingHidden])
    }

    @Test(arguments: withScript) func `the page of a comparison is in order`(screen: Page.Screen) async throws {
      let html = HTMLFormat.text(SampleComparison.value.document)
      try await expect(Browser.open(html: html, on: screen), readsByKeyboard: true)
    }

    @Test(arguments: [screens[0], screens[5]])
    func `the keyboard reaches everything, and everything has a name`(screen: Page.Screen) async throws {
      let page = try await ReportFiles.open(on: screen)
      try await page.run(Self.unfold)
      Self.expectNone(try await KeyboardCheck.findings(page), "\(screen)", at: #_sourceLocation)
      try await page.done()
    }

    /// No element, script, handler or link comes from a text.
    @Test func `texts of a run cannot become active`() async throws {
      let run = try HostileRun.write(HostileRun.text)
      defer { try? FileManager.default.removeItem(at: run.deletingLastPathComponent()) }
      let page = try await Browser.open(html: HTMLFormat.text(ReportModel(reading: RunDirectory(url: run)).document))
      try await page.run(Self.unfold)
      let active: String = try await page.evaluate(
        """
        [...document.querySelectorAll('*')].filter(e => ['IMG', 'IFRAME', 'OBJECT', 'EMBED'].includes(e.tagName)
          || [...e.attributes].some(a => a.name.startsWith('on'))
          || /^javascript:|^http/.test(e.getAttribute('href') || '')
        ).map(e => e.outerHTML).concat(
          document.scripts.length == 2 ? [] : ['scripts: ' + document.scripts.length]).join(' ')
        """)
      #expect(active == "")
      try await page.done()
    }

    @Test func `without script all headings and tables are there`() async throws {
      let page = try await ReportFiles.open(on: Self.screens[1])
      let sections = try ReportFiles.example.get().document.sections(for: .page)
      func tables(_ sections: [Section]) -> Int {
        sections.reduce(0) { $0 + $1.tables.count + tables($1.sections) }
      }
      #expect(
        try await page.evaluate("[...document.querySelectorAll('h2')].map(h => h.textContent)") == sections.map(\.title)
      )
      #expect(try await page.evaluate("document.querySelectorAll('table').length") == tables(sections))
      #expect(tables(sections) > 10)
      try await page.done()
    }

    /// The shades behind figures, from the same as the best to a thousand times as much.
    @Test(arguments: [false, true]) func `figures can be read on every shade of the matrix`(dark: Bool) async throws {
      let rows = (0...9).map { shade in
        let fields = ["", "best", "absent"].map { kind in
          "<td class=\"number \(kind)\(shade > 0 && kind != "absent" ? " h\(shade)" : "")\"><data value=\"1\">1 ms</data></td>"
        }
        return "<tr><th scope=\"row\">\(shade)</th>\(fields.joined())<td class=\"failed\">FAILED</td></tr>"
      }
      let page = try await Browser.open(
        html: """
          <!DOCTYPE html><html lang="en"><head><meta name="color-scheme" content="light dark"><style>\(HTMLStyle.rules)\
          </style></head><body><table>\(rows.joined())</table></body></html>
          """, on: Page.Screen(isDark: dark))
      let shades = "new Set([...document.querySelectorAll('td')].map(td => getComputedStyle(td).backgroundColor)).size"
      #expect(try await page.evaluate(shades) == 10)
      #expect(try await PageCheck.contrast.findings(page) == [])
      try await page.done()
    }
  }
}
