import Testing

extension PageTests {
  /// The checks find planted defects: each row has a small page with one defect.
  @Suite struct PlantedDefectTests {
    private static func page(_ body: String) -> String {
      """
      <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Planted</title>
      <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
      </head><body><h1>Planted</h1>\(body)</body></html>
      """
    }

    private static func svg(_ content: String, height: Int = 60) -> String {
      "<svg role='img' width='180' height='\(height)' viewBox='0 0 180 \(height)'><title>P</title>\(content)</svg>"
    }

    private static func table(_ rows: String) -> String { "<table><caption>T</caption>\(rows)</table>" }

    /// A check, the body of a page, and a part of the finding.
    private static let defects: [(check: PageCheck, body: String, words: String)] = [
      (.overflow, "<div style='width: 2000px; height: 9px'>x</div>", "the page is 2008 px wide"),
      (.cutText, "<p style='width: 60px; overflow: hidden; white-space: nowrap'>Longer than it</p>", "cuts: Longer"),
      (.cutText, "<p style='width: 50px; overflow-wrap: anywhere'>Unbreakable</p>", "'Unbreakable' is broken in two"),
      (.pictureText, svg("<text x='150' y='30'>leaves it</text>"), "'leaves it' leaves the picture"),
      (.pictureText, svg("<text x='9' y='30'>one</text><text x='12' y='33'>two</text>"), "'one' lies on 'two'"),
      (
        .firstScreen, "<section id='answer'><h2>A</h2><p class='recommended'>B</p>\(svg("", height: 900))</section>",
        "ends at"
      ),
      (.nothingHidden, "<section hidden><h2>Where a script puts it</h2></section>", "h2 is not shown"),
      (.contrast, "<p style='color: #888; background: #fff'>Grey</p>", "3.54 (#888888 on #ffffff)"),
      (.contrast, svg("<rect width='180' height='60' fill='#555'/><text x='9' y='30'>black</text>"), "on #555555)"),
      (.headings, "<h3>Three</h3>", "h3 comes after one of level 1"),
      (.tables, "<table><tr><th scope='col'>x</th></tr></table>", "neither a caption"),
      (.tables, table("<tr><th scope='col'>x</th></tr><tr><td><td></tr>"), "has 2 fields for 1 columns"),
      (.tables, table("<tr><th scope='col'>x</th></tr><tr><td> </td></tr>"), "has a blank field"),
      (.pictures, "<svg role='img' width='9' height='9'></svg>", "svg has no name"),
      (.identifiers, "<p id='a'>x</p><p id='a'>y</p>", "'a' is used twice"),
      (.identifiers, "<a href='#gone'>x</a>", "leads to '#gone'"),
      (.scrollRegions, "<div style='overflow: auto; width: 99px'><p style='width: 200px'>x</p></div>", "the keyboard"),
    ]

    @Test func `planted defects are found`() throws {
      let page = try Browser.open(html: Self.page(""))
      for defect in Self.defects {
        try page.run("document.body.innerHTML = \(Page.literal("<h1>Planted</h1>" + defect.body))")
        let findings = try defect.check.findings(page)
        #expect(findings.contains { $0.contains(defect.words) }, "\(defect.check), \(defect.words): \(findings)")
      }
      try page.done()
    }

    @Test(arguments: [
      ("<button></button>", "button has no name"), ("<svg role='img' width='9' height='9'></svg>", "image has no name"),
      ("<a tabindex='-1' href='https://example.org/'>skipped</a>", "Tab does not reach body > a: skipped"),
    ]) func `controls without a name or out of reach are found`(body: String, words: String) throws {
      let page = try Browser.open(html: Self.page("<p>x</p>" + body))
      let findings = try KeyboardCheck.findings(page)
      #expect(findings.contains { $0.contains(words) }, "\(findings)")
      try page.done()
    }

    @Test(arguments: [
      "<script>console.warn('careful')</script>", "<script>throw new Error('late')</script>",
      "<script>alert('hello')</script>", "<img alt='' src='missing.png'>",
      "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\"><p style='color: red'>Black</p>",
    ]) func `messages, dialogs, requests and refusals of a page are problems`(body: String) throws {
      let page = try Browser.open(html: Self.page(body))
      #expect(!page.problems.isEmpty)
      try page.close()
    }
  }
}
