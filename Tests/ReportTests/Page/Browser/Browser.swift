import Foundation
import Testing

/// All tests that need a browser, one after the other: two pages at a time would disturb each other on two cores.
///
/// There is no time limit here, since a test may wait long for those of other targets. Each command to the browser has its
/// own limit.
@Suite(.serialized, .enabled(if: Browser.executable != nil, Comment(rawValue: Browser.absence)))
enum PageTests {}

/// A failure between a test and the browser.
struct BrowserError: Error, CustomStringConvertible {
  /// The sentence.
  let description: String

  init(_ description: String) { self.description = description }
}

/// Headless Chromium, one process for all tests. Each page is a window with empty storage.
///
/// ```swift
/// let page = try Browser.open(file, fragment: "answer", on: .phone)
/// try page.tap("summary")
/// #expect(try page.evaluate("document.querySelector('details').open"))
/// try page.done()
/// ```
///
/// The first page starts Chromium. It is ended when the test process exits.
enum Browser {
  /// The path of Chromium: the environment variable CHROMIUM, else the first of the usual names in PATH. Nil if there is
  /// none.
  static let executable: String? = {
    if let path = ProcessInfo.processInfo.environment["CHROMIUM"], !path.isEmpty {
      return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }
    return installedProgram("chromium", "chromium-browser", "google-chrome")
  }()

  /// The reason why tests are skipped without Chromium.
  static let absence = """
    No Chromium was found, so the page is not tested in a browser; install it with 'apt-get install chromium', or set \
    CHROMIUM to its path.
    """

  /// Opens a file in a new window and waits until it has loaded. The network is off.
  ///
  /// - Parameter fragment: The text after `#`, as it is.
  /// - Throws: ``BrowserError`` if Chromium cannot be started, or the page does not load within 60 s.
  static func open(_ url: URL, fragment: String? = nil, on screen: Page.Screen = .laptop) throws -> Page {
    let devTools = try connection()
    struct Context: Decodable { var browserContextId: String }
    struct Target: Decodable { var targetId: String }
    struct Session: Decodable { var sessionId: String }
    // A context is like a private window: it has no access to the storage of other pages.
    let context: Context = try devTools.send("Target.createBrowserContext", ["disposeOnDetach": true])
    let target: Target = try devTools.send(
      "Target.createTarget", ["url": "about:blank", "browserContextId": context.browserContextId])
    let session: Session = try devTools.send("Target.attachToTarget", ["targetId": target.targetId, "flatten": true])
    let page = Page(devTools, session: session.sessionId, context: context.browserContextId, screen: screen)
    do {
      try page.prepare()
      try page.navigate(to: url.absoluteString + (fragment.map { "#\($0)" } ?? ""))
    } catch {
      try? page.close()
      throw error
    }
    return page
  }

  /// Opens a document that is given as text. It is written to a file, which is removed once the page has loaded.
  static func open(html: String, on screen: Page.Screen = .laptop) throws -> Page {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).html")
    try Data(html.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try open(file, on: screen)
  }

  // MARK: - The process

  /// The running Chromium. The tests run one after the other.
  private nonisolated(unsafe) static var running: DevTools?
  private static let endsAtExit: Void = { atexit { Browser.running?.end() } }()

  /// Returns the running Chromium, or starts one if there is none or it has ended.
  private static func connection() throws -> DevTools {
    if let running, running.isOpen { return running }
    guard let executable else { throw BrowserError(absence) }
    _ = endsAtExit
    running?.end()
    running = nil
    let devTools = DevTools(try BrowserProcess(executable: executable))
    running = devTools
    return devTools
  }
}
