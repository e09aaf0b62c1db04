import Foundation

/// The DevTools protocol over a socket: commands and answers as JSON, each message ended by a NUL byte. Messages are read
/// only while an answer or an event is waited for, on the thread that waits.
///
/// https://chromedevtools.github.io/devtools-protocol describes the commands and the events.
final class DevTools {
  /// The parameters of a command: texts, numbers, Booleans, and lists and dictionaries of them.
  typealias Parameters = [String: Any]

  /// The receivers of events by session. Each gets the method of an event and the whole message.
  var listeners: [String: (_ method: String, _ message: Data) -> Void] = [:]

  private let process: BrowserProcess
  private var lastNumber = 0
  /// The messages that answer commands, by the numbers of the commands, until they are taken.
  private var answers: [Int: Data] = [:]
  /// The beginning of the next message.
  private var rest = Data()

  /// The limit for an answer in seconds. It is much longer than Chromium needs, since the machine may be busy.
  static let timeToAnswer = 60.0

  init(_ process: BrowserProcess) { self.process = process }

  /// Whether Chromium can still be reached.
  var isOpen: Bool {
    var byte: UInt8 = 0
    let count = recv(process.socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count > 0 || count == -1 && errno == EAGAIN
  }

  /// Ends Chromium.
  func end() { process.end() }

  /// Sends a command and waits for its answer.
  ///
  /// - Parameter session: The session of a target. Nil for the browser itself.
  /// - Throws: ``BrowserError`` if Chromium refuses the command, does not answer in time or has ended; `DecodingError` if
  ///   the answer is not of the type.
  func send<Answer: Decodable>(
    _ method: String, _ parameters: Parameters = [:], session: String? = nil
  ) throws -> Answer {
    let message = try answer(to: post(method, parameters, session: session), method)
    return try JSONDecoder().decode(Result<Answer>.self, from: message).result
  }

  /// Sends a command whose answer is empty, a number of times, and then waits for all answers.
  ///
  /// - Throws: As the other form.
  func send(_ method: String, _ parameters: Parameters = [:], session: String? = nil, times: Int = 1) throws {
    let numbers = try (0..<times).map { _ in try post(method, parameters, session: session) }
    for number in numbers { _ = try answer(to: number, method) }
  }

  // MARK: - Messages

  /// The fields that each message may have.
  private struct Envelope: Decodable {
    struct Refusal: Decodable {
      var message: String
      var data: String?
    }
    var id: Int?
    var method: String?
    var sessionId: String?
    var error: Refusal?
  }

  private struct Result<Answer: Decodable>: Decodable {
    var result: Answer
  }

  /// Sends a command and does not wait for its answer.
  ///
  /// - Returns: The number of the command.
  /// - Throws: ``BrowserError`` if Chromium has ended.
  @discardableResult
  func post(_ method: String, _ parameters: Parameters = [:], session: String? = nil) throws -> Int {
    lastNumber += 1
    var command: [String: Any] = ["id": lastNumber, "method": method, "params": parameters]
    command["sessionId"] = session
    var order = try JSONSerialization.data(withJSONObject: command) + [0]
    while !order.isEmpty {
      let count = order.withUnsafeBytes {
        Foundation.send(process.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 || errno == EINTR else {
        throw BrowserError("\(method): Chromium has ended, or takes no orders: \(process.lastMessages)")
      }
      order.removeFirst(max(0, count))
    }
    return lastNumber
  }

  /// Waits for the answer to a command.
  ///
  /// - Throws: As ``send(_:_:session:)``.
  private func answer(to number: Int, _ method: String) throws -> Data {
    try read(for: method) { answers[number] != nil }
    let answer = answers.removeValue(forKey: number) ?? Data()
    if let refusal = try JSONDecoder().decode(Envelope.self, from: answer).error {
      throw BrowserError("\(method): \(refusal.message) \(refusal.data ?? "")")
    }
    return answer
  }

  /// Reads messages until a condition holds.
  ///
  /// - Parameter purpose: The beginning of an error's sentence.
  /// - Throws: ``BrowserError`` if the condition does not hold in time, or Chromium has ended.
  func read(for purpose: String, until isDone: () -> Bool) throws {
    let limit = ContinuousClock.now + .seconds(Self.timeToAnswer)
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while !isDone() {
      guard ContinuousClock.now < limit else {
        throw BrowserError("\(purpose): Chromium has not answered within \(Self.timeToAnswer) s")
      }
      // The socket has a shorter limit, after which the time is checked again.
      let count = recv(process.socket, &chunk, chunk.count, 0)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count > 0 else { throw BrowserError("\(purpose): Chromium has ended: \(process.lastMessages)") }
      // The last part has no end yet.
      var parts = chunk[..<count].split(separator: 0, omittingEmptySubsequences: false)
      let last = parts.removeLast()
      for part in parts {
        receive(rest + part)
        rest = Data()
      }
      rest += last
    }
  }

  private func receive(_ message: Data) {
    guard let envelope = try? JSONDecoder().decode(Envelope.self, from: message) else { return }
    if let number = envelope.id {
      answers[number] = message
    } else if let session = envelope.sessionId, let method = envelope.method {
      listeners[session]?(method, message)
    }
  }
}
