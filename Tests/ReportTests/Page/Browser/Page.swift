import Foundation
import Synchronization

/// A page that is open in the browser: what it says of itself, and what a reader can do with it.
final class Page: Sendable {
  /// What the page is shown on.
  struct Screen: Sendable, CustomStringConvertible {
    /// CSS pixels of the window's inside.
    var width: Int
    /// CSS pixels of the window's inside.
    var height: Int
    /// Whether the reader prefers dark pages.
    var isDark = false
    /// Whether scripts run.
    var hasScript = true
    /// Whether it is a phone.
    var isTouch = false

    /// `390x844, dark, without script`.
    var description: String {
      "\(width)x\(height), \(isDark ? "dark" : "light"), \(hasScript ? "with" : "without") script"
        + (isTouch ? ", touch" : "")
    }
  }

  /// What it is shown on.
  let screen: Screen

  private let devTools: DevTools
  private let session: String
  private let context: String
  private let state = Mutex(State())

  private struct State {
    var collected = Collected()
    var loads = 0
    /// The document's own request is not one of its requests.
    var documents: Set<String> = []
  }

  init(_ devTools: DevTools, session: String, context: String, screen: Screen) {
    (self.devTools, self.session, self.context, self.screen) = (devTools, session, context, screen)
  }

  /// Sends a command of DevTools to this page, for what has no function here.
  ///
  /// - Parameter seconds: How long the answer may take.
  /// - Throws: ``BrowserError`` if Chromium refuses it or does not answer in time; `DecodingError`.
  func send<Answer: Decodable>(
    _ method: String, _ parameters: JSON = [:], seconds: Double = DevTools.timeToAnswer,
    as type: Answer.Type = Answer.self
  ) async throws -> Answer {
    try await devTools.send(method, parameters, session: session, seconds: seconds)
  }

  /// The same for a command whose answer says nothing.
  func send(_ method: String, _ parameters: JSON = [:]) async throws {
    try await devTools.send(method, parameters, session: session)
  }

  // MARK: - What was collected

  /// What the page has said and asked for since it was opened.
  var collected: Collected { state.withLock { $0.collected } }

  /// Everything collected as sentences: a page that is as it should be has none.
  var problems: [String] { collected.problems }

  /// Forgets what was collected.
  func forget() { state.withLock { $0.collected = Collected() } }

  // MARK: - Opening and closing

  /// Switches on what is collected and sets up the screen, before the page's file is opened.
  func prepare() async throws {
    devTools.listen(to: session) { [weak self] method, message in self?.receive(method, message) }
    for domain in ["Page", "Runtime", "Log", "Network"] { try await send("\(domain).enable") }
    try await send(
      "Network.emulateNetworkConditions",
      ["offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0])
    try await send(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number(Double(screen.width)), "height": .number(Double(screen.height)), "deviceScaleFactor": 1,
        "mobile": .bool(screen.isTouch),
      ])
    try await send("Emulation.setTouchEmulationEnabled", ["enabled": .bool(screen.isTouch), "maxTouchPoints": 5])
    try await send(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": screen.isDark ? "dark" : "light"]]])
    try await send("Emulation.setScriptExecutionDisabled", ["value": .bool(!screen.hasScript)])
    try await send("Emulation.setFocusEmulationEnabled", ["enabled": true])
  }

  /// Opens an address and waits until it has loaded; with another fragment of the same file, until it is there.
  ///
  /// - Throws: ``BrowserError`` if it cannot be opened.
  func navigate(to address: String) async throws {
    struct Navigation: Decodable {
      var loaderId: String?
      var errorText: String?
    }
    let before = state.withLock { $0.loads }
    let answer: Navigation = try await send("Page.navigate", ["url": .string(address)])
    if let text = answer.errorText { throw BrowserError("\(address): \(text)") }
    // Without a loader the document stays, as with a fragment.
    if answer.loaderId != nil { try await untilLoaded(moreThan: before, address) }
    try await settle()
  }

  /// Opens a document that is given as text in the same window.
  ///
  /// - Throws: ``BrowserError``; the file system's error.
  func load(html: String) async throws {
    try await Self.withFile(html) { try await navigate(to: $0.absoluteString) }
  }

  /// Has a document in a file while something is done with it.
  static func withFile<Result>(_ html: String, _ body: (URL) async throws -> Result) async throws -> Result {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).html")
    try Data(html.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await body(file)
  }

  /// Goes to another fragment of the page, as a link or the address bar does; the `#` is left out.
  ///
  /// - Throws: ``BrowserError``.
  func go(toFragment fragment: String) async throws {
    let address: String = try await evaluate("location.href.split('#')[0]")
    try await navigate(to: "\(address)#\(fragment)")
  }

  /// Opens the page's address again.
  ///
  /// - Throws: ``BrowserError``.
  func reload() async throws {
    let before = state.withLock { $0.loads }
    try await send("Page.reload")
    try await untilLoaded(moreThan: before, "reload")
    try await settle()
  }

  /// Closes the window and forgets what the page has stored.
  ///
  /// - Throws: ``BrowserError``.
  func close() async throws {
    devTools.listen(to: session, nil)
    try await devTools.send("Target.disposeBrowserContext", ["browserContextId": .string(context)])
  }

  /// Waits until what was begun is on the screen: two frames, and what they have put off.
  func settle() async throws {
    // Where no scripts run, neither do frames' callbacks.
    guard screen.hasScript else { return try await send("Runtime.evaluate", ["expression": "0"]) }
    try await run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")
  }

  private func untilLoaded(moreThan before: Int, _ address: String) async throws {
    let limit = ContinuousClock.now + .seconds(DevTools.timeToAnswer)
    while state.withLock({ $0.loads }) == before {
      guard ContinuousClock.now < limit, devTools.isOpen else {
        throw BrowserError("\(address) has not loaded within \(DevTools.timeToAnswer) s")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  // MARK: - Events

  private func receive(_ method: String, _ message: Data) {
    switch method {
    case "Page.loadEventFired":
      state.withLock { $0.loads += 1 }
    case "Network.requestWillBeSent":
      guard let event = try? JSONDecoder().decode(DevTools.Event<Collected.Sent>.self, from: message).params else {
        return
      }
      state.withLock { state in
        // The page's file has its loader's number.
        guard event.requestId != event.loaderId, !event.request.url.hasPrefix("data:") else { return }
        state.collected.requests.append(event.request.url)
      }
    case "Page.javascriptDialogOpening":
      state.withLock { $0.collected.read(method, message) }
      // The page stands still until somebody answers.
      Task { try? await send("Page.handleJavaScriptDialog", ["accept": true]) }
    default:
      state.withLock { $0.collected.read(method, message) }
    }
  }
}
