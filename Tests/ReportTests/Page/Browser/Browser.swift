import Foundation
import Synchronization

/// Headless Chromium, one for the whole test process; each page is a window of its own with nothing stored.
///
/// ```swift
/// let page = try await Browser.open(file, fragment: "answer", width: 390, height: 844, touch: true)
/// try await page.tap("summary")
/// let isOpen: Bool = try await page.evaluate("document.querySelector('details').open")
/// #expect(isOpen && page.problems.isEmpty)
/// try await page.close()
/// ```
///
/// Chromium is started by the first page and ended when the process exits.
actor Browser {
  /// Chromium's path: what the environment variable CHROMIUM says, else the first of the usual names in PATH; nil where
  /// there is none.
  static let executable: String? = {
    if let path = ProcessInfo.processInfo.environment["CHROMIUM"], !path.isEmpty {
      return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }
    return Tool("chromium", "chromium-browser", "google-chrome").path
  }()

  /// Whether pages can be opened.
  static var isInstalled: Bool { executable != nil }

  /// Why tests are skipped where there is no Chromium.
  static let absence = """
    No Chromium was found, so the page is not tested in a browser; install it with 'apt-get install chromium', or set \
    CHROMIUM to its path.
    """

  /// Opens a file in a new window and waits until it has loaded.
  ///
  /// The network is off. The page has the keyboard's focus. ``Page/close()`` closes it; what is left open is closed when
  /// the process exits.
  ///
  /// - Parameters:
  ///   - url: A file.
  ///   - fragment: What is put after `#`, as it is.
  ///   - width: Of the window's inside, in CSS pixels.
  ///   - height: The same.
  ///   - dark: Whether the reader prefers dark pages.
  ///   - hasScript: Whether the page's scripts run. Where they do not, ``Page/evaluate(_:seconds:as:)`` works nevertheless.
  ///   - touch: Whether it is a phone: a finger, no pointer that hovers, and the width that the page's viewport asks for.
  /// - Throws: ``BrowserError`` if Chromium cannot be started, or the page does not load within 30 s.
  static func open(
    _ url: URL, fragment: String? = nil, width: Int = 1280, height: Int = 720, dark: Bool = false,
    hasScript: Bool = true, touch: Bool = false
  ) async throws -> Page {
    let screen = Page.Screen(width: width, height: height, isDark: dark, hasScript: hasScript, isTouch: touch)
    let devTools = try await shared.connection()
    struct Context: Decodable { var browserContextId: String }
    struct Target: Decodable { var targetId: String }
    struct Session: Decodable { var sessionId: String }
    // Like a private window: nothing that a page stores is there for the next one.
    let context: Context = try await devTools.send("Target.createBrowserContext", ["disposeOnDetach": true])
    let target: Target = try await devTools.send(
      "Target.createTarget", ["url": "about:blank", "browserContextId": .string(context.browserContextId)])
    let session: Session = try await devTools.send(
      "Target.attachToTarget", ["targetId": .string(target.targetId), "flatten": true])
    let page = Page(devTools, session: session.sessionId, context: context.browserContextId, screen: screen)
    do {
      try await page.prepare()
      try await page.navigate(to: url.absoluteString + (fragment.map { "#\($0)" } ?? ""))
    } catch {
      try? await page.close()
      throw error
    }
    return page
  }

  /// Opens a document that is given as text, as ``open(_:fragment:width:height:dark:hasScript:touch:)`` opens a file.
  ///
  /// - Parameter html: The whole document. It is put into a file, which is removed when the page is there.
  static func open(
    html: String, width: Int = 1280, height: Int = 720, dark: Bool = false, hasScript: Bool = true, touch: Bool = false
  ) async throws -> Page {
    try await Page.withFile(html) {
      try await open($0, width: width, height: height, dark: dark, hasScript: hasScript, touch: touch)
    }
  }

  // MARK: - The process

  private static let shared = Browser()
  private var running: DevTools?

  /// What is to be ended when the test process exits.
  private static let processes = Mutex<[BrowserProcess]>([])
  private static let endsAtExit: Void = {
    atexit { for process in Browser.processes.withLock({ $0 }) { process.end() } }
  }()

  /// The running Chromium, or a new one if there is none or it has ended.
  private func connection() throws -> DevTools {
    if let running, running.isOpen { return running }
    guard let executable = Self.executable else { throw BrowserError(Self.absence) }
    _ = Self.endsAtExit
    let process = try BrowserProcess(executable: executable)
    Self.processes.withLock { $0.append(process) }
    let devTools = DevTools(process)
    running = devTools
    return devTools
  }
}
