import Foundation
import Testing

/// A page that is open in the browser. The functions for a reader's input are in an extension.
final class Page {
  /// The screen of a page.
  struct Screen: Sendable, CustomStringConvertible {
    /// The inside of the window in CSS pixels.
    var width = 1280
    var height = 720
    /// Whether the reader prefers dark pages.
    var isDark = false
    /// Whether the scripts of the page run. ``Page/evaluate(_:as:)`` works in either case.
    var hasScript = true

    /// Whether it is a phone: a finger, no pointer that hovers, and the width that the viewport of the page asks for.
    var isTouch: Bool { width < 500 }

    static let laptop = Screen()
    static let desktop = Screen(width: 1440, height: 900)
    static let phone = Screen(width: 390, height: 844)

    /// `390x844, dark, without script`.
    var description: String {
      "\(width)x\(height), \(isDark ? "dark" : "light"), \(hasScript ? "with" : "without") script"
    }
  }

  let screen: Screen

  private let devTools: DevTools
  private let session: String
  private let context: String
  private var loads = 0

  init(_ devTools: DevTools, session: String, context: String, screen: Screen) {
    (self.devTools, self.session, self.context, self.screen) = (devTools, session, context, screen)
  }

  /// Sends a command of DevTools to this page.
  ///
  /// - Throws: ``BrowserError`` if Chromium refuses it or does not answer in time; `DecodingError`.
  func send<Answer: Decodable>(_ method: String, _ parameters: DevTools.Parameters = [:]) throws -> Answer {
    try devTools.send(method, parameters, session: session)
  }

  /// Sends a command whose answer is empty, a number of times, and then waits for all answers.
  func send(_ method: String, _ parameters: DevTools.Parameters = [:], times: Int = 1) throws {
    try devTools.send(method, parameters, session: session, times: times)
  }

  // MARK: - Opening and closing

  /// Switches on the events and sets up the screen, before a file is opened.
  func prepare() throws {
    devTools.listeners[session] = { [weak self] method, message in self?.receive(method, message) }
    for domain in ["Page", "Runtime", "Log", "Network"] { try send("\(domain).enable") }
    try send(
      "Network.emulateNetworkConditions",
      ["offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0])
    try send(
      "Emulation.setDeviceMetricsOverride",
      ["width": screen.width, "height": screen.height, "deviceScaleFactor": 1, "mobile": screen.isTouch])
    try send("Emulation.setTouchEmulationEnabled", ["enabled": screen.isTouch, "maxTouchPoints": 5])
    try send(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": screen.isDark ? "dark" : "light"]]])
    try send("Emulation.setScriptExecutionDisabled", ["value": !screen.hasScript])
    try send("Emulation.setFocusEmulationEnabled", ["enabled": true])
  }

  /// Opens an address and waits until it has loaded. Another fragment of the same file does not load it again.
  ///
  /// - Throws: ``BrowserError`` if it cannot be opened.
  func navigate(to address: String) throws {
    struct Navigation: Decodable {
      var loaderId: String?
      var errorText: String?
    }
    let before = loads
    let answer: Navigation = try send("Page.navigate", ["url": address])
    if let text = answer.errorText { throw BrowserError("\(address): \(text)") }
    // Without a loader the document stays, as with a fragment.
    if answer.loaderId != nil { try devTools.read(for: "loading \(address)") { loads > before } }
    try settle()
  }

  /// Goes to another fragment of the page, as a link or the address bar does. The `#` is left out.
  ///
  /// - Throws: ``BrowserError``.
  func go(toFragment fragment: String) throws {
    let address: String = try evaluate("location.href.split('#')[0]")
    try navigate(to: "\(address)#\(fragment)")
  }

  /// Opens the address of the page again.
  ///
  /// - Throws: ``BrowserError``.
  func reload() throws {
    let before = loads
    try send("Page.reload")
    try devTools.read(for: "loading the page again") { loads > before }
    try settle()
  }

  /// Closes the window and removes its storage.
  ///
  /// - Throws: ``BrowserError``.
  func close() throws {
    devTools.listeners[session] = nil
    try devTools.send("Target.disposeBrowserContext", ["browserContextId": context])
  }

  /// Expects that there were no problems, and closes the window.
  ///
  /// - Throws: ``BrowserError``.
  func done(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(problems == [], "\(screen)", sourceLocation: sourceLocation)
    try close()
  }

  /// Waits until the window is drawn: two frames, and the tasks that they have put off.
  func settle() throws {
    // Without scripts the callbacks of frames do not run either.
    guard screen.hasScript else { return try send("Runtime.evaluate", ["expression": "0"]) }
    try run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")
  }

  // MARK: - Events

  /// Lines on the console, exceptions, dialogs, refusals by the content security policy and requests for other files since
  /// the page was opened, each as the browser's message. A correct page has none.
  private(set) var problems: [String] = []

  private func receive(_ method: String, _ message: Data) {
    switch method {
    case "Page.loadEventFired": loads += 1
    case "Network.requestWillBeSent":
      struct Event: Decodable {
        struct Sent: Decodable {
          struct Request: Decodable { var url: String }
          var requestId: String
          var loaderId: String
          var request: Request
        }
        var params: Sent
      }
      // The request for the page itself has the number of its loader.
      guard let sent = try? JSONDecoder().decode(Event.self, from: message).params, sent.requestId != sent.loaderId,
        !sent.request.url.hasPrefix("data:")
      else { return }
      problems.append("asks for \(sent.request.url)")
    case "Runtime.consoleAPICalled", "Log.entryAdded", "Runtime.exceptionThrown", "Page.javascriptDialogOpening":
      problems.append(String(decoding: message.prefix(1000), as: UTF8.self))
      guard method == "Page.javascriptDialogOpening" else { return }
      // The page stops until the dialog is closed. Its answer is not waited for, since another one is being waited for.
      _ = try? devTools.post("Page.handleJavaScriptDialog", ["accept": true], session: session)
    default: break
    }
  }

  // MARK: - Evaluation

  /// Returns the value of a JavaScript expression in the page, read as JSON. A promise is waited for.
  ///
  /// - Throws: ``BrowserError`` with the exception's text if the expression throws; `DecodingError` if the value is not of
  ///   the type.
  func evaluate<Value: Decodable>(_ expression: String, as type: Value.Type = Value.self) throws -> Value {
    let answer: Evaluation<Value> = try send(
      "Runtime.evaluate",
      ["expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true])
    if let details = answer.exceptionDetails { throw BrowserError(details.words) }
    guard let value = answer.result.value else { throw BrowserError("\(expression) has no value") }
    return value
  }

  /// Runs a script in the page. A promise that is its value is waited for.
  ///
  /// - Throws: ``BrowserError`` with the exception's text if it throws.
  func run(_ script: String) throws {
    struct Outcome: Decodable { var exceptionDetails: ExceptionDetails? }
    let answer: Outcome = try send(
      "Runtime.evaluate", ["expression": script, "awaitPromise": true, "userGesture": true])
    if let details = answer.exceptionDetails { throw BrowserError(details.words) }
  }

  /// Waits up to 10 s until a JavaScript expression is true.
  ///
  /// - Throws: ``BrowserError`` if it stays false, or if it throws.
  func wait(until expression: String) throws {
    let limit = ContinuousClock.now + .seconds(10)
    var attempts = 0
    while try !evaluate("!!(\(expression))", as: Bool.self) {
      attempts += 1
      // Beside other tests an attempt may be late, so a few are always made.
      guard ContinuousClock.now < limit || attempts < 5 else { throw BrowserError("not within 10 s: \(expression)") }
      usleep(20_000)
    }
  }

  /// Returns the text of the first element that a selector matches, as a reader sees it.
  ///
  /// - Throws: ``BrowserError`` if there is none.
  func text(_ selector: String) throws -> String {
    try evaluate(
      """
      (() => {
        const found = document.querySelector(\(Self.literal(selector)));
        if (!found) throw new Error('nothing matches ' + \(Self.literal(selector)));
        return found.innerText ?? found.textContent;
      })()
      """)
  }

  /// Returns a text as a literal of JavaScript, quotation marks included.
  static func literal(_ text: String) -> String {
    let data = try? JSONEncoder().encode(text)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }
}

/// The answer of `Runtime.evaluate`.
private struct Evaluation<Value: Decodable>: Decodable {
  struct Result: Decodable { var value: Value? }
  var result: Result
  var exceptionDetails: ExceptionDetails?
}

/// An exception as DevTools describes it.
private struct ExceptionDetails: Decodable {
  struct Thrown: Decodable { var description: String? }
  /// `Uncaught`, or the whole message.
  var text: String
  var exception: Thrown?

  /// The thrown error with its stack, if it has one.
  var words: String { exception?.description ?? text }
}
