import Foundation
@testable import TestSupport
@testable import StorageReport
import StorageRunFiles
import Testing

extension PageTests {
  /// The report's page on every screen, with and without its script.
  @Suite struct ReportPageTests {
    /// A desktop and a phone, light and dark, with and without script.
    static let screens = [Page.Screen.desktop, .phone].flatMap { screen in
      [false, true].flatMap { isDark in
        [true, false].map { hasScript in changed(screen) { ($0.isDark, $0.hasScript) = (isDark, hasScript) } }
      }
    }
    /// The screens of which each script is on.
    static let withScript = screens.filter(\.hasScript)

    /// Checks a page as it opens and with all parts unfolded, and closes it.
    private func expect(
      _ page: Page, _ more: [PageCheck] = [], readsByKeyboard: Bool = false,
      at location: SourceLocation = #_sourceLocation
    ) throws {
      for state in ["as it opens", "unfolded"] {
        if state == "unfolded" { try page.unfold() }
        for check in PageCheck.all + more where state != "unfolded" || check != .firstScreen {
          expectNone(try check.findings(page), "\(check), \(page.screen), \(state)", at: location)
        }
      }
      if readsByKeyboard { expectNone(try KeyboardCheck.findings(page), "\(page.screen)", at: location) }
      try page.done(sourceLocation: location)
    }

    @Test(arguments: screens) func `the page is in order, folded and unfolded`(screen: Page.Screen) throws {
      // Tab takes long without a script, so a light desktop with it and a light phone without it are enough.
      let readsByKeyboard = !screen.isDark && screen.hasScript != screen.isTouch
      try expect(ReportFiles.open(on: screen), [.nothingHidden, .firstScreen], readsByKeyboard: readsByKeyboard)
    }

    /// The sample run has rows that failed, that were skipped and that are not available.
    @Test(arguments: [screens[0], screens[2], screens[4]])
    func `the page of a run with rows of every status is in order`(screen: Page.Screen) throws {
      try expect(Browser.open(ReportFiles.golden.get(), on: screen), [.nothingHidden])
    }

    @Test(arguments: withScript) func `the page of a comparison is in order`(screen: Page.Screen) throws {
      let html = HTMLFormat.text(SampleComparison.value.document)
      try expect(Browser.open(html: html, on: screen), readsByKeyboard: true)
    }

    /// No element, script, handler or link comes from a text.
    @Test func `texts of a run cannot become active`() throws {
      let run = try HostileRun.write(HostileRun.text)
      defer { try? FileManager.default.removeItem(at: run.deletingLastPathComponent()) }
      let page = try Browser.open(html: HTMLFormat.text(ReportModel(reading: RunDirectory(url: run)).document))
      try page.unfold()
      let active: String = try page.evaluate(
        """
        [...document.querySelectorAll('*')].filter(e => ['IMG', 'IFRAME', 'OBJECT', 'EMBED'].includes(e.tagName)
          || [...e.attributes].some(a => a.name.startsWith('on'))
          || /^javascript:|^http/.test(e.getAttribute('href') || '')
        ).map(e => e.outerHTML).concat(
          document.scripts.length == 2 ? [] : ['scripts: ' + document.scripts.length]).join(' ')
        """)
      #expect(active == "")
      try page.done()
    }

    @Test func `without script all headings and tables are there`() throws {
      let page = try ReportFiles.open(on: Self.screens[1])
      let sections = try ReportFiles.example.get().document.sections(for: .page)
      func tables(_ sections: [Section]) -> Int {
        sections.reduce(0) { $0 + $1.tables.count + tables($1.sections) }
      }
      #expect(
        try page.evaluate("[...document.querySelectorAll('h2')].map(h => h.textContent)") == sections.map(\.title)
      )
      #expect(try page.evaluate("document.querySelectorAll('table').length") == tables(sections))
      #expect(tables(sections) > 10)
      try page.done()
    }
  }
}
