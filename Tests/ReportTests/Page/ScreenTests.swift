import Testing

extension PageTests {
  /// Folding on a phone, scrolling and printing.
  @Suite struct ScreenTests {
    @Test func `a phone's page is at most 7,000 pixels long, and a link unfolds where it leads`() async throws {
      let page = try await ReportFiles.open(on: .phone)
      let height: Int = try await page.evaluate("document.documentElement.scrollHeight")
      #expect(height <= 7000)
      let folded = "[...document.querySelectorAll('details.part:not([open])')].map(e => e.parentElement.id)"
      let before: [String] = try await page.evaluate(folded)
      #expect(before.contains("latency") && before.contains("advice") && !before.contains("matrix"))
      try await page.tap("#tab-details > summary")
      try await page.tap("#latency summary")
      #expect(try await page.evaluate(folded, as: [String].self) == before.filter { $0 != "latency" })
      // A table that is folded within a section that is folded.
      let table: String = try await page.evaluate("document.querySelector('#latency details[id]').id")
      try await page.go(toFragment: table)
      #expect(try await page.evaluate("document.getElementById('\(table)').open"))
      #expect(try await page.evaluate("document.querySelector('#latency details.part').open"))
      let top: Double = try await page.evaluate("document.getElementById('\(table)').getBoundingClientRect().top")
      #expect((30..<844).contains(top), "not under the navigation")
      try await page.done()
    }

    @Test func `the matrix stays a table on a phone, its first column in sight`() async throws {
      let page = try await ReportFiles.open("matrix", on: .phone)
      let left = "document.querySelector('#explorer tbody th').getBoundingClientRect().left"
      let field = "document.querySelector('#explorer tbody td').getBoundingClientRect().left"
      let (name, value): (Double, Double) = (try await page.evaluate(left), try await page.evaluate(field))
      try await page.run("document.querySelector('#explorer .table').scrollLeft = 150")
      try await page.settle()
      #expect(try await page.evaluate(left, as: Double.self) == name, "the names stay")
      #expect(try await page.evaluate(field, as: Double.self) == value - 150)
      try await page.done()
    }

    @Test func `navigation stays in sight`() async throws {
      let page = try await ReportFiles.open()
      for section in ["strips", "memory"] {
        try await page.click("nav a[href='#\(section)']")
        #expect(try await page.evaluate("document.querySelector('nav').getBoundingClientRect().top") == 0.0)
        let top: Double = try await page.evaluate(
          "document.querySelector('#\(section) h2').getBoundingClientRect().top")
        #expect((20..<200).contains(top), "not under the navigation")
      }
      try await page.done()
    }

    @Test func `paper gets every section and the tables, and no controls`() async throws {
      let page = try await ReportFiles.open(on: .phone)
      try await page.run(
        """
        window.printing = [];
        addEventListener('beforeprint', () =>
          printing.push(`before ${document.querySelectorAll('details.part:not([open])').length}`));
        addEventListener('afterprint', () => printing.push('after'));
        """)
      struct Printed: Decodable { var data: String }
      let printed: Printed = try await page.send("Page.printToPDF", ["printBackground": true], seconds: 60)
      #expect(printed.data.count > 10_000)
      #expect(try await page.evaluate("printing", as: [String].self) == ["before 0", "after"])
      #expect(try await page.evaluate("document.querySelectorAll('details.part:not([open])').length", as: Int.self) > 5)
      try await page.run("dispatchEvent(new Event('beforeprint'))")
      #expect(try await page.evaluate("document.querySelector('details.printed').open"))
      try await page.send("Emulation.setEmulatedMedia", ["media": "print"])
      let hidden: Bool = try await page.evaluate(
        "['.controls', '#explorer', '#calculator', 'nav', '.copy'].every(s => !document.querySelector(s)?.checkVisibility())"
      )
      #expect(hidden)
      #expect(
        try await page.evaluate(
          "[...document.querySelectorAll('#matrix .printed > .block table')].every(e => e.checkVisibility())"))
      try await page.done()
    }
  }
}
