import Foundation
import Synchronization

/// The DevTools protocol over a socket: commands and answers as JSON, each message ended by a NUL byte.
///
/// https://chromedevtools.github.io/devtools-protocol describes the commands and the events.
final class DevTools: Sendable {
  /// The parameters of a command: texts, numbers, Booleans, and lists and dictionaries of them.
  typealias Parameters = [String: any Sendable]
  /// Receives an event of a session: its method and the whole message.
  typealias Listener = @Sendable (_ method: String, _ message: Data) -> Void

  private struct State {
    var lastNumber = 0
    var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
    var listeners: [String: Listener] = [:]
    /// The reason why no more commands can be sent.
    var failure: BrowserError?
  }

  private let process: BrowserProcess
  private let state = Mutex(State())

  /// The limit for an answer in seconds. It is much longer than Chromium needs, since the machine may be busy.
  static let timeToAnswer = 60.0

  /// Starts to listen on the socket of the process.
  init(_ process: BrowserProcess) {
    self.process = process
    let thread = Thread { [self] in listen() }
    thread.name = "DevTools"
    thread.start()
  }

  /// Whether Chromium can still be reached.
  var isOpen: Bool { state.withLock { $0.failure == nil } }

  /// Passes the events of a session to a listener, which runs on the reading thread and must not wait. Nil removes it.
  func listen(to session: String, _ listener: Listener?) {
    state.withLock { $0.listeners[session] = listener }
  }

  /// Sends a command and waits for its answer.
  ///
  /// - Parameter session: The session of a target. Nil for the browser itself.
  /// - Throws: ``BrowserError`` if Chromium refuses the command, does not answer in time or has ended; `DecodingError` if
  ///   the answer is not of the type.
  func send<Answer: Decodable>(
    _ method: String, _ parameters: Parameters = [:], session: String? = nil
  ) async throws -> Answer {
    let message = try await answer(method, parameters, session: session)
    return try JSONDecoder().decode(Result<Answer>.self, from: message).result
  }

  /// Sends a command whose answer is empty.
  ///
  /// - Throws: As the other form.
  func send(_ method: String, _ parameters: Parameters = [:], session: String? = nil) async throws {
    _ = try await answer(method, parameters, session: session)
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

  private func answer(_ method: String, _ parameters: Parameters, session: String?) async throws -> Data {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    var command: [String: Any] = ["id": number, "method": method, "params": parameters]
    command["sessionId"] = session
    let order = try JSONSerialization.data(withJSONObject: command)
    let answer = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, any Error>) in
      let failure = state.withLock { state in
        if state.failure == nil { state.waiting[number] = continuation }
        return state.failure
      }
      if let failure { return continuation.resume(throwing: failure) }
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeToAnswer) { [self] in
        resume(number, .failure(BrowserError("\(method): Chromium has not answered within \(Self.timeToAnswer) s")))
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

  /// The lock for writing, so that messages of two threads do not mix.
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
