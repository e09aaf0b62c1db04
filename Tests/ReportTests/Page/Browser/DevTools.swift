import Foundation
import Synchronization

/// The DevTools protocol over a socket: commands and their answers as JSON, each message ended by a NUL byte.
///
/// https://chromedevtools.github.io/devtools-protocol describes the commands and the events.
final class DevTools: Sendable {
  /// Receives an event of a session: its method and the whole message, to be decoded as ``Event``.
  typealias Listener = @Sendable (_ method: String, _ message: Data) -> Void

  private struct State {
    var lastNumber = 0
    var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
    var listeners: [String: Listener] = [:]
    /// Why nothing can be sent any more.
    var failure: BrowserError?
  }

  private let process: BrowserProcess
  private let state = Mutex(State())

  /// How long Chromium may take for an answer, in seconds. Far more than it needs: the machine may be busy.
  static let timeToAnswer = 30.0

  /// Starts to listen on the process's socket.
  init(_ process: BrowserProcess) {
    self.process = process
    let thread = Thread { [self] in listen() }
    thread.name = "DevTools"
    thread.start()
  }

  /// Whether Chromium can still be reached.
  var isOpen: Bool { state.withLock { $0.failure == nil } }

  /// Has the events of a session go to a listener, which runs on the reading thread and so must not wait; nil removes it.
  func listen(to session: String, _ listener: Listener?) {
    state.withLock { $0.listeners[session] = listener }
  }

  /// Sends a command and waits for its answer.
  ///
  /// - Parameters:
  ///   - session: A target's session; nil for the browser itself.
  ///   - seconds: How long the answer may take.
  /// - Throws: ``BrowserError`` if Chromium refuses the command, does not answer in time or has ended; `DecodingError` if
  ///   the answer is not of the type.
  func send<Answer: Decodable>(
    _ method: String, _ parameters: JSON = [:], session: String? = nil, seconds: Double = timeToAnswer,
    as type: Answer.Type = Answer.self
  ) async throws -> Answer {
    let message = try await answer(method, parameters, session: session, seconds: seconds)
    return try JSONDecoder().decode(Result<Answer>.self, from: message).result
  }

  /// Sends a command whose answer says nothing.
  ///
  /// - Throws: As the other form.
  func send(
    _ method: String, _ parameters: JSON = [:], session: String? = nil, seconds: Double = timeToAnswer
  ) async throws {
    _ = try await answer(method, parameters, session: session, seconds: seconds)
  }

  // MARK: - Messages

  private struct Order: Encodable {
    var id: Int
    var method: String
    var params: JSON
    var sessionId: String?
  }

  /// What every message may have.
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

  /// An event with its parameters.
  struct Event<Parameters: Decodable>: Decodable {
    /// What the event says.
    var params: Parameters
  }

  private func answer(
    _ method: String, _ parameters: JSON, session: String?, seconds: Double
  ) async throws -> Data {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let order = try JSONEncoder().encode(Order(id: number, method: method, params: parameters, sessionId: session))
    let answer = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, any Error>) in
      let failure = state.withLock { state in
        if state.failure == nil { state.waiting[number] = continuation }
        return state.failure
      }
      if let failure { return continuation.resume(throwing: failure) }
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
        resume(number, .failure(BrowserError("\(method): Chromium has not answered within \(seconds) s")))
      }
      if !write(order + [0]) {
        resume(
          number, .failure(BrowserError("\(method): Chromium has ended, or takes no orders: \(process.lastMessages)")))
      }
    }
    if let refusal = try JSONDecoder().decode(Envelope.self, from: answer).error {
      throw BrowserError("\(method): \(refusal.message) \(refusal.data ?? "")")
    }
    return answer
  }

  private func resume(_ number: Int, _ result: Swift.Result<Data, any Error>) {
    state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(with: result)
  }

  // MARK: - The socket

  /// One message at a time: two threads must not write into each other's.
  private let writing = Mutex(())

  private func write(_ data: Data) -> Bool {
    writing.withLock { _ in
      data.withUnsafeBytes { bytes in
        var sent = 0
        while sent < bytes.count {
          let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
          let count = Foundation.send(process.socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
          if count > 0 { sent += count } else if count == -1, errno == EINTR { continue } else { return false }
        }
        return true
      }
    }
  }

  /// Reads messages until Chromium ends.
  private func listen() {
    var buffer = Data()
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(process.socket, &chunk, chunk.count)
      if count == -1, errno == EINTR { continue }
      guard count > 0 else { break }
      var rest = chunk[..<count]
      while let end = rest.firstIndex(of: 0) {
        buffer += rest[..<end]
        receive(buffer)
        buffer = Data()
        rest = rest[(end + 1)...]
      }
      buffer += rest
    }
    let failure = BrowserError("Chromium has ended: \(process.lastMessages)")
    let waiting = state.withLock { state in
      state.failure = failure
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume(throwing: failure) }
  }

  private func receive(_ message: Data) {
    guard let envelope = try? JSONDecoder().decode(Envelope.self, from: message) else { return }
    if let number = envelope.id {
      resume(number, .success(message))
    } else if let session = envelope.sessionId, let method = envelope.method {
      state.withLock { $0.listeners[session] }?(method, message)
    }
  }
}
