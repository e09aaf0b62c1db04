import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

extension PageTests {
  /// What must hold of the report's page on every screen, with and without its script.
  @Suite struct ReportPageTests {
    /// A laptop and a phone, light and dark, with and without script.
    static let screens = [(1280, 720), (390, 844)].flatMap { width, height in
      [false, true].flatMap { dark in
        [true, false].map { script in
          Page.Screen(width: width, height: height, isDark: dark, hasScript: script, isTouch: width < 500)
        }
      }
    }

    /// Opens a page on a screen.
    private func open(_ url: URL, _ screen: Page.Screen) async throws -> Page {
      try await Browser.open(
        url, width: screen.width, height: screen.height, dark: screen.isDark, hasScript: screen.hasScript,
        touch: screen.isTouch)
    }

    /// What a check finds is the failure's text.
    private func expect(
      _ check: PageCheck, of page: Page, _ state: String = "as it opens", at place: SourceLocation = #_sourceLocation
    ) async throws {
      let findings = try await check.findings(page)
      #expect(
        findings.isEmpty, "not so: \(check.name) (\(page.screen), \(state)) \(Self.lines(findings))",
        sourceLocation: place)
    }

    /// The first findings, one a line.
    private static func lines(_ findings: [String]) -> String {
      findings.prefix(20).map { "\n  \($0)" }.joined() + (findings.count > 20 ? "\n  ... \(findings.count) in all" : "")
    }

    private static let unfold = "document.querySelectorAll('details').forEach(details => details.open = true)"

    @Test(arguments: screens) func `the page is in order, folded and unfolded`(screen: Page.Screen) async throws {
      let page = try await open(ReportFiles.example.get().page, screen)
      for check in PageCheck.all + [.nothingHidden, .firstScreen] {
        try await expect(check, of: page)
      }
      try await page.run(Self.unfold)
      for check in PageCheck.all + [.nothingHidden] { try await expect(check, of: page, "unfolded") }
      #expect(page.problems == [], "\(screen)")
      try await page.close()
    }

    /// The golden run has rows that failed, that were skipped and that are not available.
    @Test(arguments: [screens[0], screens[2], screens[4]])
    func `so is the page of a run with rows of every fate`(screen: Page.Screen) async throws {
      let page = try await open(ReportFiles.golden.get(), screen)
      for check in PageCheck.all + [.nothingHidden] { try await expect(check, of: page) }
      try await page.run(Self.unfold)
      for check in PageCheck.all { try await expect(check, of: page, "unfolded") }
      #expect(page.problems == [])
      try await page.close()
    }

    /// No element, script, handler or link comes from a text.
    @Test func `texts of others are only texts`() async throws {
      let run = try HostileRun.write(HostileRun.text)
      defer { try? FileManager.default.removeItem(at: run.deletingLastPathComponent()) }
      let html = try HTMLFormat.text(RunReport(ReportModel(reading: RunDirectory(url: run))).document)
      let page = try await Browser.open(html: html, width: 1280, height: 720)
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
      #expect(page.problems == [])
      try await page.close()
    }

    @Test(arguments: [screens[0], screens[2], screens[4], screens[6]])
    func `so is the page of a comparison`(screen: Page.Screen) async throws {
      let html = try HTMLFormat.text(ReportFiles.comparison().document)
      let page = try await Browser.open(
        html: html, width: screen.width, height: screen.height, dark: screen.isDark, touch: screen.isTouch)
      for check in PageCheck.all { try await expect(check, of: page) }
      try await page.run(Self.unfold)
      for check in PageCheck.all { try await expect(check, of: page, "unfolded") }
      let findings = try await KeyboardCheck.findings(page)
      #expect(findings.isEmpty, "\(screen): \(Self.lines(findings))")
      #expect(page.problems == [])
      try await page.close()
    }

    @Test(arguments: [screens[0], screens[5]])
    func `the keyboard reaches everything, and everything has a name`(screen: Page.Screen) async throws {
      let page = try await open(ReportFiles.example.get().page, screen)
      try await page.run(Self.unfold)
      let findings = try await KeyboardCheck.findings(page)
      #expect(findings.isEmpty, "\(screen): \(Self.lines(findings))")
      try await page.close()
    }

    @Test func `without script nothing of the report is missing`() async throws {
      let report = try ReportFiles.example.get()
      let page = try await open(report.page, Self.screens[1])
      let headings: [String] = try await page.evaluate("[...document.querySelectorAll('h2')].map(h => h.textContent)")
      let sections = report.document.sections(for: .page)
      #expect(headings == sections.map(\.title))
      func tables(_ sections: [Section]) -> Int {
        sections.reduce(0) { $0 + $1.tables.count + tables($1.sections) }
      }
      #expect(try await page.evaluate("document.querySelectorAll('table').length", as: Int.self) == tables(sections))
      #expect(tables(sections) > 10)
      try await page.close()
    }
  }
}
