import Foundation
import Testing

extension PageTests {
  /// The browser does what the tests of the report rely on.
  @Suite struct BrowserTests {
    private static let sample = """
      <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sample</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <style>body { margin: 0; height: 3000px; } #far { margin-top: 2000px; } a:hover { color: rgb(1, 2, 3); }</style>
      </head><body>
      <button id="first">First</button> <a href="#far">Down</a>
      <label>Name <input id="name"></label>
      <select id="size"><option value="s">Small</option><option value="l">Large</option></select>
      <details id="far"><summary>More</summary><p>There it is.</p></details>
      <script>
        window.events = [];
        for (const type of ['click', 'input', 'change', 'keydown', 'touchstart', 'hashchange']) {
          addEventListener(type, event => events.push(
            type + ' ' + (event.key ?? event.target.id ?? '') + (event.isTrusted ? '' : ' made')));
        }
      </script></body></html>
      """

    @Test func `values come back typed, promises are waited for, and exceptions are thrown`() async throws {
      let page = try await Browser.open(html: Self.sample)
      #expect(try await page.evaluate("1 + 1", as: Int.self) == 2)
      #expect(try await page.evaluate("[{a: 'b'}]", as: [[String: String]].self) == [["a": "b"]])
      #expect(try await page.evaluate("Promise.resolve('later')", as: String.self) == "later")
      #expect(try await page.evaluate("undefined", as: String?.self) == nil)
      let error = await #expect(throws: BrowserError.self) {
        try await page.evaluate("(() => { throw new Error('out of it') })()", as: Int.self)
      }
      #expect(error?.description.contains("out of it") == true)
      await #expect(throws: BrowserError.self) { try await page.run("Promise.reject(new Error('later'))") }
      await #expect(throws: DecodingError.self) { try await page.evaluate("'text'", as: Int.self) }
      await #expect(throws: BrowserError.self) { try await page.wait(until: "false", seconds: 0.1) }
      try await page.wait(until: "document.title === 'Sample'")
      #expect(try await page.text("summary") == "More")
      try await page.close()
    }

    @Test func `a hand's events are real ones and hit what they are meant for`() async throws {
      let page = try await Browser.open(html: Self.sample)
      try await page.click("#first")
      try await page.click("summary")
      #expect(try await page.evaluate("document.querySelector('details').open", as: Bool.self))
      #expect(try await page.evaluate("scrollY", as: Double.self) > 1000)
      try await page.hover("a")
      #expect(
        try await page.evaluate("getComputedStyle(document.querySelector('a')).color", as: String.self)
          == "rgb(1, 2, 3)")
      try await page.click("#name")
      try await page.type("aé")
      #expect(try await page.evaluate("document.querySelector('#name').value", as: String.self) == "aé")
      try await page.choose("#size", "l")
      #expect(try await page.evaluate("document.querySelector('#size').value", as: String.self) == "l")
      let events: [String] = try await page.evaluate("events")
      #expect(events.prefix(2) == ["click first", "click "])
      #expect(events.contains("keydown a") && events.contains("input name"))
      #expect(events.contains("input size made") && events.contains("change size made"))
      await #expect(throws: BrowserError.self) { try await page.click("#missing") }
      await #expect(throws: BrowserError.self) { try await page.choose("#size", "huge") }
      await #expect(throws: BrowserError.self) { try await page.tap("#first") }
      try await page.run("document.querySelector('#first').style.display = 'none'")
      await #expect(throws: BrowserError.self) { try await page.click("#first") }
      try await page.close()
    }

    @Test func `keys move the focus and press what has it`() async throws {
      let page = try await Browser.open(html: Self.sample)
      let focus = "document.activeElement.id || document.activeElement.tagName"
      try await page.press(.tab)
      #expect(try await page.evaluate(focus, as: String.self) == "first")
      try await page.press(.space)
      try await page.press(.tab)
      #expect(try await page.evaluate(focus, as: String.self) == "A")
      try await page.press(.enter)
      try await page.press(.tab)
      #expect(try await page.evaluate(focus, as: String.self) == "SUMMARY", "a link moves where Tab goes on from")
      try await page.press(.enter)
      #expect(try await page.evaluate("document.querySelector('details').open", as: Bool.self))
      try await page.press(.tab, shift: true)
      try await page.press(.down)
      #expect(try await page.evaluate("document.querySelector('#size').value", as: String.self) == "l")
      let events: [String] = try await page.evaluate("events")
      #expect(events.contains("click first") && events.contains { $0.hasPrefix("hashchange") })
      #expect(events.contains("change size"), "the arrow keys change a list as a hand does")
      try await page.close()
    }

    @Test func `a phone is touched, is narrow and does not hover`() async throws {
      let page = try await Browser.open(html: Self.sample, width: 390, height: 844, dark: true, touch: true)
      try await page.tap("#first")
      #expect(try await page.evaluate("events", as: [String].self) == ["touchstart first", "click first"])
      let media: [Bool] = try await page.evaluate(
        "['(hover: none)', '(pointer: coarse)', '(prefers-color-scheme: dark)'].map(m => matchMedia(m).matches)")
      #expect(media == [true, true, true])
      #expect(try await page.evaluate("[innerWidth, innerHeight]", as: [Int].self) == [390, 844])
      try await page.close()
    }

    @Test func `a fragment opens, changes and comes back`() async throws {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).html")
      try Data(Self.sample.utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let page = try await Browser.open(file, fragment: "far")
      #expect(try await page.address.hasSuffix(".html#far"))
      #expect(try await page.evaluate("scrollY", as: Double.self) > 1000)
      try await page.go(toFragment: "first&a=1%202")
      #expect(try await page.evaluate("location.hash", as: String.self) == "#first&a=1%202")
      #expect(try await page.evaluate("events", as: [String].self) == ["hashchange "], "the document stays")
      try await page.reload()
      #expect(try await page.evaluate("events.length", as: Int.self) == 0)
      #expect(try await page.evaluate("location.hash", as: String.self) == "#first&a=1%202")
      #expect(page.problems == [])
      try await page.close()
    }

    @Test func `scripts of the page can be off while the tests look into it`() async throws {
      let page = try await Browser.open(html: Self.sample, hasScript: false)
      #expect(try await page.evaluate("typeof events", as: String.self) == "undefined")
      #expect(try await page.evaluate("Promise.resolve(document.title)", as: String.self) == "Sample")
      try await page.click("summary")
      #expect(try await page.evaluate("document.querySelector('details').open", as: Bool.self))
      try await page.close()
    }

    @Test func `what a page says and asks for is collected`() async throws {
      let page = try await Browser.open(
        html: """
          <!DOCTYPE html><html lang="en"><head><title>x</title>
          <meta http-equiv="Content-Security-Policy" content="default-src 'unsafe-inline' file:"></head><body>
          <img alt="" src="missing.png"><img alt="" src="data:,">
          <script>console.warn('careful', 1, {a: 1}); setTimeout(() => { throw new Error('late') })</script>
          <script>alert('hello'); eval('1')</script></body></html>
          """)
      try await page.wait(until: "document.readyState === 'complete'")
      try await page.settle()
      let collected = page.collected
      #expect(collected.console == [.init(level: "warning", text: "careful 1 Object")])
      #expect(collected.exceptions.count == 2, "\(collected.exceptions)")
      #expect(collected.exceptions.contains { $0.contains("Error: late") })
      #expect(collected.requests.count == 1 && collected.requests.allSatisfy { $0.hasSuffix("missing.png") })
      #expect(collected.dialogs == ["hello"])
      #expect(!collected.log.isEmpty)
      #expect(page.problems.count == 5 + collected.log.count)
      page.forget()
      #expect(page.problems.isEmpty)
      try await page.close()
    }

    @Test func `what the content security policy refuses is collected`() async throws {
      let page = try await Browser.open(
        html: """
          <!DOCTYPE html><html lang="en"><head><title>x</title>
          <meta http-equiv="Content-Security-Policy" content="default-src 'none'"></head><body>
          <script>console.log('never')</script><p style="color: red">Black</p></body></html>
          """)
      #expect(page.collected.console.isEmpty)
      #expect(page.problems.count == 2)
      #expect(page.problems.allSatisfy { $0.contains("Content Security Policy") }, "\(page.problems)")
      try await page.close()
    }

    @Test func `pages share nothing, and nothing is fetched`() async throws {
      let first = try await Browser.open(html: "<!DOCTYPE html><title>a</title>")
      try await first.run("localStorage.setItem('a', '1')")
      let second = try await Browser.open(html: "<!DOCTYPE html><title>b</title>")
      #expect(try await second.evaluate("localStorage.getItem('a')", as: String?.self) == nil)
      await #expect(throws: BrowserError.self) { try await second.run("fetch('http://127.0.0.1:9/')") }
      #expect(second.collected.requests == ["http://127.0.0.1:9/"])
      try await first.close()
      try await second.close()
      await #expect(throws: BrowserError.self) { try await second.evaluate("1", as: Int.self) }
    }

    @Test func `pictures are written, and a screen reader's view is read`() async throws {
      let page = try await Browser.open(html: Self.sample, width: 300, height: 200)
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).png")
      defer { try? FileManager.default.removeItem(at: file) }
      try await page.screenshot(to: file)
      let header = [UInt8](try Data(contentsOf: file).prefix(24))
      #expect(header.prefix(4) == [0x89, 0x50, 0x4E, 0x47])
      #expect(header[18...23] == [1, 44, 0, 0, 0, 200], "300 by 200 pixels")
      let tree = try await page.accessibilityTree()
      let button = try #require(tree.first { $0.role == "button" })
      #expect(button.name == "First" && button.isFocusable)
      #expect(tree.first?.role == "RootWebArea" && tree.first?.name == "Sample")
      #expect(tree.contains { $0.role == "textbox" && $0.name == "Name" })
      try await page.close()
    }

    @Test func `no wait is without end`() async throws {
      let page = try await Browser.open(html: Self.sample)
      let error = await #expect(throws: BrowserError.self) {
        try await page.evaluate("new Promise(() => {})", seconds: 0.2, as: Int.self)
      }
      #expect(error?.description.contains("has not answered within 0.2 s") == true)
      try await page.close()
      // A program that is no browser, and one that says why it ends.
      for (program, words) in [("/bin/true", "has ended"), ("/no/such/browser", "not found")] {
        let process = try BrowserProcess(executable: program)
        let devTools = DevTools(process)
        let error = await #expect(throws: BrowserError.self) { try await devTools.send("Target.getTargets") }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        process.end()
        #expect(!FileManager.default.fileExists(atPath: process.directory.path))
      }
    }

    @Test func `a browser that dies is replaced, and nothing of it is left`() async throws {
      let page = try await Browser.open(html: Self.sample)
      try? await page.send("Browser.crash")
      await #expect(throws: BrowserError.self) { try await page.evaluate("1", as: Int.self) }
      let next = try await Browser.open(html: Self.sample)
      #expect(try await next.evaluate("document.title", as: String.self) == "Sample")
      try await next.close()
    }
  }
}
