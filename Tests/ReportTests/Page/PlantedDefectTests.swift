import Foundation
@testable import StorageReport
import Testing

extension PageTests {
  /// Every check finds what it is for: small pages, each with one thing wrong.
  @Suite struct PlantedDefectTests {
    /// A page with something wrong.
    struct Defect: Sendable, CustomStringConvertible {
      /// What should find it.
      let check: PageCheck
      /// What is in the page's body.
      let body: String
      /// What the finding says.
      let words: String
      /// The width of the window; the phone's pages can be touched.
      var width = 1280
      var isDark = false

      var description: String { "\(check.name): \(words)" }
    }

    private static func page(_ body: String) -> String {
      """
      <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Planted</title>
      <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
      <style>:focus { outline: 1px solid } .ears { position: absolute; width: 1px; height: 1px; overflow: hidden;
      clip-path: inset(50%) }</style></head><body><h1>Planted</h1>\(body)</body></html>
      """
    }

    /// Nothing is wrong here, though each check has something to look at.
    private static let sound = """
      <p>Words <span class="ears" style="color: white">for ears</span> on <a href="#there">links</a>.</p>
      <section id="answer"><h2>Two</h2><h3>Three</h3>
      <div style="overflow-x: auto; width: 100px" role="region" aria-label="Wide" tabindex="0">
      <table id="there" style="width: 3000px"><caption>A table</caption><tr><th scope="col">One</th></tr>
      <tr><td style="background: rgba(0, 0, 0, 0.3); color: CanvasText">text</td></tr></table></div>
      <h2>Again</h2>
      <svg role="img" width="200" height="60" viewBox="0 0 200 60"><title>A picture</title>
      <rect width="100" height="60" fill="#222"/><text x="10" y="30" fill="#fff">left</text>
      <text x="110" y="30" style="fill: CanvasText">right</text>
      <rect width="200" height="60" fill="#fff" fill-opacity="0"/></svg></section>
      <p style="color: #949494; font-size: 24px; background: #fff">Large is 3.</p>
      <details><summary>Folded</summary><table><tr><th scope="col">Named by its summary</th></tr></table></details>
      <fieldset><legend>Kind</legend><label><input type="radio" name="kind" checked>One</label>
      <label><input type="radio" name="kind">Two</label></fieldset>
      <div role="toolbar" aria-label="Tools"><button>First</button><button tabindex="-1">Second</button></div>
      <label>Text <input style="background: Canvas; color: CanvasText"></label><button disabled style="color: #eee">Off</button>
      """

    @Test(arguments: [false, true]) func `a page with nothing wrong passes every check`(dark: Bool) async throws {
      let page = try await Browser.open(html: Self.page(Self.sound), dark: dark)
      for check in PageCheck.all + [.nothingHidden, .firstScreen] {
        let findings = try await check.findings(page)
        #expect(findings == [], "\(check.name)")
      }
      let findings = try await KeyboardCheck.findings(page)
      #expect(findings == [])
      #expect(page.problems == [])
      try await page.close()
    }

    private static let layout = [
      Defect(
        check: .overflow, body: "<div style='width: 2000px; height: 9px'>x</div>", words: "the page is 2008 px wide"),
      Defect(check: .overflow, body: "<p style='width: 500px'>x</p>", words: "p reaches from 8 to 508 px", width: 390),
      Defect(
        check: .overflow, body: "<p style='position: absolute; left: -50px; width: 80px'>x</p>",
        words: "reaches from -50"),
      Defect(
        check: .cutText, body: "<p style='width: 60px; overflow: hidden; white-space: nowrap'>Longer than its box</p>",
        words: "the edge of body > p cuts: Longer"),
      Defect(
        check: .cutText, body: "<p style='height: 20px; overflow: clip; width: 90px'>One line and two and three</p>",
        words: "cuts: One line"),
      Defect(
        check: .cutText, body: "<p style='width: 50px; overflow-wrap: anywhere'>Unbreakable</p>",
        words: "'Unbreakable' is broken in two"),
      Defect(
        check: .cutText, body: "<button style='width: 40px; overflow: hidden'>Everything</button>",
        words: "is too narrow for: Everything"),
      Defect(
        check: .pictureText, body: svg("<text x='150' y='30'>leaves it</text>"), words: "'leaves it' leaves the picture"
      ),
      Defect(
        check: .pictureText, body: svg("<text x='9' y='30'>one</text><text x='12' y='33'>two</text>"),
        words: "'one' lies on 'two'"),
      Defect(
        check: .pictureText, body: svg("<text x='9' y='30' font-size='8'>small</text>"), words: "'small' is 8.0 px high"
      ),
      Defect(check: .firstScreen, body: "<div style='height: 800px'></div>" + sound, words: "h2 begins at"),
      Defect(check: .firstScreen, body: "<p>No answer</p>", words: "there is no answer"),
      Defect(
        check: .firstScreen, body: "<section id='answer'><h2>A</h2>\(svg("", height: 800))</section>", words: "ends at"),
      Defect(
        check: .nothingHidden, body: "<section hidden><h2>Where a script puts it</h2></section>",
        words: "h2 is not shown"),
    ]

    private static func svg(_ content: String, height: Int = 60) -> String {
      "<svg role='img' width='180' height='\(height)' viewBox='0 0 180 \(height)'><title>P</title>\(content)</svg>"
    }

    private static let contrast = [
      Defect(
        check: .contrast, body: "<p style='color: #888; background: #fff'>Grey</p>", words: "3.54 (#888888 on #ffffff)"),
      Defect(
        check: .contrast, body: "<p style='color: rgba(0, 0, 0, 0.5); background: #fff'>Thin</p>", words: "(#808080 on"),
      Defect(
        check: .contrast,
        body:
          "<div style='background: #000; color: #fff'><p style='background: rgba(255, 255, 255, 0.6)'>Veiled</p></div>",
        words: "(#ffffff on #999999)"),
      Defect(
        check: .contrast, body: "<div style='opacity: 0.5; color: #000; background: #fff'><b>Faint</b></div>",
        words: "b: 'Faint'"),
      Defect(
        check: .contrast, body: "<p style='font-size: 24px; color: #aaa; background: #fff'>Large</p>", words: "needs 3"),
      Defect(
        check: .contrast, body: "<p style='color: #333'>Dark on dark</p>", words: "(#333333 on #121212)", isDark: true),
      Defect(
        check: .contrast, body: "<style>p::after { content: 'more'; color: #ddd }</style><p>x</p>", words: "'more'"),
      Defect(
        check: .contrast, body: "<label>x<input value='typed' style='background: #fff; color: #ccc'></label>",
        words: "'typed'"),
      Defect(
        check: .contrast, body: "<p style='background: linear-gradient(red, blue)'>x</p>",
        words: "a picture behind its text"),
      Defect(
        check: .contrast, body: svg("<rect width='180' height='60' fill='#555'/><text x='9' y='30'>black</text>"),
        words: "(#000000 on #555555)"),
      Defect(
        check: .contrast,
        body: svg(
          "<g transform='translate(60 0)'><path d='M0 0H30V60H0Z' fill='#000' fill-opacity='0.7'/></g>"
            + "<text x='40' y='30'>across an edge</text>"), words: "(#000000 on #4d4d4d)"),
      Defect(check: .contrast, body: svg("<text x='9' y='30' fill-opacity='0.3'>thin</text>"), words: "'thin'"),
    ]

    private static let structure = [
      Defect(check: .headings, body: "<h3>Three</h3>", words: "h3 comes after one of level 1"),
      Defect(check: .headings, body: "<h1>Another</h1>", words: "2 headings of the first level"),
      Defect(check: .tables, body: "<table><tr><th scope='col'>x</th></tr></table>", words: "neither a caption"),
      Defect(
        check: .tables, body: "<table><caption>T</caption><tr><th>x</th></tr></table>",
        words: "what it is the header of"),
      Defect(
        check: .tables, body: "<table><caption>T</caption><tr><th scope='col'>x</th></tr><tr><td><td></tr></table>",
        words: "has 2 fields for 1 columns"),
      Defect(
        check: .tables, body: "<table><caption>T</caption><tr><th scope='col'>x</th></tr><tr><td> </td></tr></table>",
        words: "has a blank field"),
      Defect(check: .pictures, body: "<svg width='9' height='9'><title>N</title></svg>", words: "has no role"),
      Defect(check: .pictures, body: "<svg role='img' width='9' height='9'></svg>", words: "svg has no name"),
      Defect(check: .pictures, body: "<img src='data:,'>", words: "has no alt"),
      Defect(check: .identifiers, body: "<p id='a'>x</p><p id='a'>y</p>", words: "'a' is used twice"),
      Defect(check: .identifiers, body: "<a href='#gone'>x</a>", words: "leads to '#gone'"),
      Defect(check: .identifiers, body: "<label for='gone'>x</label>", words: "for names 'gone'"),
      Defect(
        check: .scrollRegions, body: "<div style='overflow: auto; width: 99px'><p style='width: 200px'>x</p></div>",
        words: "not by the keyboard"),
      Defect(
        check: .scrollRegions,
        body: "<div tabindex='0' style='overflow: auto; height: 9px'><p style='height: 200px'>x</p></div>",
        words: "no role and name"),
    ]

    @Test(arguments: [layout, contrast, structure]) func `planted defects are found`(defects: [Defect]) async throws {
      // One window for those of the same screen: opening one takes longer than looking into it.
      for group in Dictionary(grouping: defects, by: { [$0.width, $0.isDark ? 1 : 0] }).values {
        let first = group[0]
        let page = try await Browser.open(
          html: "", width: first.width, height: 700, dark: first.isDark, touch: first.width < 500)
        for defect in group {
          try await page.load(html: Self.page(defect.body))
          let findings = try await defect.check.findings(page)
          #expect(findings.contains { $0.contains(defect.words) }, "\(defect): \(findings)")
        }
        try await page.close()
      }
    }

    @Test(arguments: [
      ("<button></button>", "button has no name"), ("<a href='#a'><i id='a'></i></a>", "link has no name"),
      ("<input>", "textbox has no name"),
      ("<details><summary></summary>x</details>", "DisclosureTriangle has no name"),
      ("<a tabindex='-1' href='https://example.org/'>skipped</a>", "Tab does not reach body > a: skipped"),
      ("<div tabindex='0'></div>", "has no name"), ("<svg role='img' width='9' height='9'></svg>", "image has no name"),
      (
        "<button onkeydown='event.preventDefault()'>trap</button><button>behind it</button>",
        "Tab does not reach body > button: behind it"
      ),
    ]) func `what the keyboard and a screen reader miss is found`(body: String, words: String) async throws {
      let page = try await Browser.open(html: Self.page("<p>x</p>" + body))
      let findings = try await KeyboardCheck.findings(page)
      #expect(findings.contains { $0.contains(words) }, "\(findings)")
      try await page.close()
    }

    /// Shades behind figures, from the same as the best to a thousand times as much, in both themes.
    @Test(arguments: [false, true]) func `figures can be read on every shade of the matrix`(dark: Bool) async throws {
      let rows = (0...9).map { shade in
        let fields = ["", "best", "absent"].map { kind in
          "<td class=\"number \(kind)\(shade > 0 && kind != "absent" ? " h\(shade)" : "")\"><data value=\"1\">1 ms</data></td>"
        }
        return "<tr><th scope=\"row\">\(shade)</th>\(fields.joined())<td class=\"failed\">FAILED</td></tr>"
      }
      let page = try await Browser.open(
        html: Self.page("<style>\(HTMLStyle.rules)</style><table><caption>Shades</caption>\(rows.joined())</table>"),
        dark: dark)
      #expect(
        try await page.evaluate(
          "new Set([...document.querySelectorAll('td')].map(td => getComputedStyle(td).backgroundColor)).size",
          as: Int.self) == 10)
      let findings = try await PageCheck.contrast.findings(page)
      #expect(findings == [])
      try await page.close()
    }
  }
}
