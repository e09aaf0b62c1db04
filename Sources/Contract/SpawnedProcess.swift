@preconcurrency import Foundation

/// A child process. If the child runs a program of this package, the last line of its standard output is the program's
/// answer, as JSON.
package final class SpawnedProcess: @unchecked Sendable {
  /// The outcome of a child process that has ended: its exit code, or the signal that killed it.
  package enum Ending: Sendable, Equatable {
    case exited(code: Int32)
    case killed(signal: Int32)

    /// The outcome as one number: the exit code, or the negative number of the signal that killed the child process.
    package var status: Int32 {
      switch self {
      case .exited(let code): code
      case .killed(let signal): -signal
      }
    }
  }

  /// The connection of a child's file descriptor: a pipe to the parent, or a file descriptor of the parent.
  package enum Stream {
    /// A pipe between parent and child, only for the child's descriptors 0 to 2.
    case pipe
    case descriptor(Int32)
  }

  package struct StartError: Error, CustomStringConvertible {
    package let code: Int32
    package var reason: String { String(cString: strerror(code)) }
    package var description: String { "cannot start a process: \(reason)" }
  }

  package let identifier: pid_t
  private let leadsGroup: Bool
  private let lock = NSLock()
  /// The parent's ends of the pipes to the child's standard input, output and error; -1 without a pipe.
  /// ``closeInput()`` sets the first end to -1 while it holds ``lock``.
  private var ends: [Int32]
  /// The outcome of the child process; nil until ``wait()`` has read the outcome. Afterwards, no signal is sent,
  /// because a new process may have the same ID.
  private var ending: Ending?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The path of the program, then its arguments.
  ///   - environment: Environment variables for the program. If `inherits` is true, they are added to the variables of
  ///     the parent, or replace them.
  ///   - streams: The pipe or file for each file descriptor of the program. A descriptor from 0 to 2 without an entry
  ///     is inherited from the parent.
  ///   - leadsGroup: Whether the program leads a new process group, with default signal handling. The program then does
  ///     not inherit the parent's descriptors 3 to 255, unless `streams` has an entry.
  /// - Throws: ``StartError``.
  package init(
    _ arguments: [String], environment: [String: String] = [:], inherits: Bool = true,
    streams: [Int32: Stream] = [1: .pipe], leadsGroup: Bool = false
  ) throws(StartError) {
    self.leadsGroup = leadsGroup
    let variables = Self.variables(environment, inherits: inherits)
    let words = arguments.map { strdup($0) } + [nil]
    defer { (words + variables).forEach { free($0) } }
    (identifier, ends) = try Self.start(words, variables, streams, leadsGroup)
  }

  deinit { for end in ends where end >= 0 { close(end) } }

  package func closeInput() {
    lock.withLock {
      if ends[0] >= 0 { close(ends[0]) }
      ends[0] = -1
    }
  }

  /// Whether the child process has written to its standard output or has closed it.
  package var hasOutput: Bool {
    var descriptor = pollfd(fd: ends[1], events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }

  /// Reads standard output and error of the child until both are closed. Of an error text over 2 MiB, only the end is
  /// kept.
  ///
  /// - Parameters:
  ///   - limit: The maximum size of the output in bytes. A longer output throws a ``StoreError``.
  ///   - whenMore: A closure that gets all output so far, each time more has arrived.
  package func readAll(
    limit: Int = .max, whenMore: (Data) -> Void = { _ in }
  ) throws(StoreError) -> (output: Data, errors: Data) {
    var texts = [Data(), Data()]
    var open = [1, 2].map { pollfd(fd: ends[$0], events: Int16(POLLIN), revents: 0) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while open.contains(where: { $0.fd >= 0 }) {
      // A negative descriptor is ignored by poll(2).
      guard poll(&open, nfds_t(open.count), -1) > 0 else { continue }
      for index in open.indices where open[index].fd >= 0 && open[index].revents != 0 {
        let count = read(open[index].fd, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          open[index].fd = -1
          continue
        }
        texts[index].append(contentsOf: buffer[..<count])
        if index == 0 { whenMore(texts[0]) }
      }
      if texts[0].count > limit { throw .failed("the answer is too long") }
      if texts[1].count > 2 * Self.mostErrors { texts[1] = Data(texts[1].suffix(Self.mostErrors)) }
    }
    return (texts[0], texts[1])
  }

  private static let mostErrors = 1 << 20

  package static func answer<Answer: Decodable>(_ type: Answer.Type, in output: Data) -> Answer? {
    output.split(separator: UInt8(ascii: "\n")).last.flatMap { try? JSONDecoder().decode(type, from: $0) }
  }

  @discardableResult
  package func wait() -> Ending {
    if let ending = lock.withLock({ ending }) { return ending }
    // The process can be killed until its ID is released, which happens within the lock.
    awaitState(WEXITED)
    return lock.withLock {
      if let ending { return ending }
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7f
      let found = signal == 0 ? Ending.exited(code: status >> 8 & 0xff) : .killed(signal: signal)
      ending = found
      return found
    }
  }

  package func kill() { lock.withLock { _ = signal(SIGKILL) } }

  /// Pauses the child process and, if it leads a process group, the group. Returns when the child has stopped or ended.
  package func pause() {
    lock.withLock { if signal(SIGSTOP) { awaitState(WSTOPPED | WEXITED) } }
  }

  package func resume() { lock.withLock { _ = signal(SIGCONT) } }

  /// Runs `body`, which waits for the child process, on a new thread. The child is killed if `body` throws or the task
  /// is cancelled.
  package func attend<Result: Sendable>(
    _ body: @escaping @Sendable (SpawnedProcess) throws -> Result
  ) async throws -> Result {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          do {
            continuation.resume(returning: try body(self))
          } catch {
            self.kill()
            self.wait()
            continuation.resume(throwing: error)
          }
        }
      }
    } onCancel: {
      kill()
    }
  }

  private func signal(_ number: Int32) -> Bool {
    ending == nil && Foundation.kill(leadsGroup ? -identifier : identifier, number) == 0
  }

  /// Waits until the child process has ended or, depending on `options`, has been paused. ``wait()`` can still read the
  /// outcome.
  private func awaitState(_ options: Int32) {
    var state = siginfo_t()
    while waitid(P_PID, id_t(identifier), &state, options | WNOWAIT) != 0, errno == EINTR {}
  }

  // MARK: - Starting

  private typealias Texts = [UnsafeMutablePointer<CChar>?]

  private static func variables(_ given: [String: String], inherits: Bool) -> Texts {
    var texts: Texts = []
    var next = environ
    while inherits, let text = next.pointee {
      let name = String(decoding: UnsafeRawBufferPointer(start: text, count: strcspn(text, "=")), as: UTF8.self)
      if given[name] == nil { texts.append(strdup(text)) }
      next += 1
    }
    return texts + given.map { strdup("\($0)=\($1)") } + [nil]
  }

  /// A lock for starting one process at a time. Without the lock, one process could inherit the pipes of another.
  private static let starting = NSLock()

  private static func start(
    _ arguments: Texts, _ variables: Texts, _ streams: [Int32: Stream], _ leadsGroup: Bool
  ) throws(StartError) -> (process: pid_t, ends: [Int32]) {
    starting.lock()
    defer { starting.unlock() }
    var (ends, others): ([Int32], [Int32]) = ([-1, -1, -1], [])
    defer { others.forEach { close($0) } }
    func failure(_ code: Int32) -> StartError {
      ends.filter { $0 >= 0 }.forEach { close($0) }
      return StartError(code: code)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Descriptors are set in ascending order: one with a high number may still be needed as the source of a lower
    // one.
    for (target, stream) in streams.sorted(by: { $0.key < $1.key }) {
      switch stream {
      case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, target)
      case .pipe:
        var pair: [Int32] = [-1, -1]
        guard pipe(&pair) == 0 else { throw failure(errno) }
        for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let own = target == 0 ? 1 : 0
        ends[Int(target)] = pair[own]
        others.append(pair[1 - own])
        posix_spawn_file_actions_adddup2(&actions, pair[1 - own], target)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    if leadsGroup {
      separate(&attributes)
      // The leader of a process group does not inherit these descriptors.
      for descriptor in Int32(3)..<256 where streams[descriptor] == nil {
        let flags = fcntl(descriptor, F_GETFD)
        if flags >= 0, flags & FD_CLOEXEC == 0 { posix_spawn_file_actions_addclose(&actions, descriptor) }
      }
    }
    var process: pid_t = 0
    let error = posix_spawn(&process, arguments[0]!, &actions, &attributes, arguments, variables)
    guard error == 0 else { throw failure(error) }
    return (process, ends)
  }

  private static func separate(_ attributes: inout posix_spawnattr_t) {
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    for signal in [SIGKILL, SIGSTOP] { sigdelset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
  }
}
