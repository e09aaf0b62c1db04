import Foundation

/// What a page's scripts can tell of it.
extension Page {
  /// The value of a JavaScript expression in the page, read as JSON. A promise is waited for.
  ///
  /// Values that JSON does not have, as `undefined`, are nil if the type is an optional.
  ///
  /// - Parameter seconds: How long it may take.
  /// - Throws: ``BrowserError`` with the exception's text if the expression throws; `DecodingError` if the value is not of
  ///   the type.
  func evaluate<Value: Decodable>(
    _ expression: String, seconds: Double = DevTools.timeToAnswer, as type: Value.Type = Value.self
  ) async throws -> Value {
    let answer: Evaluated<Value> = try await send(
      "Runtime.evaluate",
      ["expression": .string(expression), "returnByValue": true, "awaitPromise": true, "userGesture": true],
      seconds: seconds)
    switch answer {
    case .value(let value): return value
    case .exception(let words): throw BrowserError(words)
    }
  }

  /// Runs a script in the page for what it does. A promise that is its value is waited for.
  ///
  /// - Throws: ``BrowserError`` with the exception's text if it throws.
  func run(_ script: String) async throws {
    struct Outcome: Decodable { var exceptionDetails: ExceptionDetails? }
    let answer: Outcome = try await send(
      "Runtime.evaluate", ["expression": .string(script), "awaitPromise": true, "userGesture": true])
    if let details = answer.exceptionDetails { throw BrowserError(details.words) }
  }

  /// Waits until a JavaScript expression is true.
  ///
  /// - Throws: ``BrowserError`` if it is not within the time, in seconds, or if it throws.
  func wait(until expression: String, seconds: Double = 10) async throws {
    let limit = ContinuousClock.now + .seconds(seconds)
    var looks = 0
    while try await !evaluate("!!(\(expression))", as: Bool.self) {
      looks += 1
      // Beside other tests a look may come late: a few there have to be.
      guard ContinuousClock.now < limit || looks < 5 else {
        throw BrowserError("not within \(seconds) s: \(expression)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// The text of the first element that a selector matches, as a reader sees it.
  ///
  /// - Throws: ``BrowserError`` if there is none.
  func text(_ selector: String) async throws -> String {
    try await evaluate(
      """
      (() => {
        const found = document.querySelector(\(JSON.literal(selector)));
        if (!found) throw new Error('nothing matches ' + \(JSON.literal(selector)));
        return found.innerText ?? found.textContent;
      })()
      """)
  }

  /// The page's address as it is now, fragment included.
  var address: String { get async throws { try await evaluate("location.href") } }

  /// Writes a picture of the window, or of the whole page, as PNG.
  ///
  /// - Throws: ``BrowserError``; the file system's error.
  func screenshot(to file: URL, wholePage: Bool = false) async throws {
    struct Picture: Decodable { var data: Data }
    let picture: Picture = try await send(
      "Page.captureScreenshot", ["format": "png", "captureBeyondViewport": .bool(wholePage)])
    try picture.data.write(to: file)
  }
}

/// The answer of `Runtime.evaluate`.
private enum Evaluated<Value: Decodable>: Decodable {
  case value(Value)
  case exception(String)

  private enum Key: String, CodingKey { case result, exceptionDetails }
  private enum ResultKey: String, CodingKey { case value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let details = try container.decodeIfPresent(ExceptionDetails.self, forKey: .exceptionDetails) {
      self = .exception(details.words)
      return
    }
    let result = try container.nestedContainer(keyedBy: ResultKey.self, forKey: .result)
    guard result.contains(.value) else {
      self = .value(try JSONDecoder().decode(Value.self, from: Data("null".utf8)))
      return
    }
    self = .value(try result.decode(Value.self, forKey: .value))
  }
}
