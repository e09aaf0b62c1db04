import Foundation
import StorageContract

/// A Chromium process with its own directory and a socket to its DevTools.
///
/// The child is a shell that starts Chromium and removes the directory when Chromium has ended. Chromium ends when the
/// socket is closed. So no process and no file remains, even if the test process is killed.
final class BrowserProcess {
  /// The test's end of the socket. Chromium has the other end as its descriptors 3 and 4. It is a socket instead of two
  /// pipes, since writing to a pipe whose reader has ended kills the test process with SIGPIPE.
  let socket: Int32
  /// The shell, the leader of a process group with all processes of Chromium.
  private let child: SpawnedProcess
  /// The directory of its profile, removed at the end.
  private let directory: URL
  /// The file that receives Chromium's standard output and error; it can be read after the directory has gone.
  private let messages: Int32

  /// The time in seconds after which Chromium is killed if it does not end by itself.
  private static let timeToEnd = 5.0

  /// Starts Chromium.
  ///
  /// - Parameter executable: Its path.
  /// - Throws: ``BrowserError`` naming the system call that failed; ``SpawnedProcess/StartError``; the file system's error
  ///   if no directory can be made.
  init(executable: String) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("page-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let (ours, theirs) = try Self.socketPair()
    defer { close(theirs) }
    let profile = directory.path
    messages = open(profile + "/messages.txt", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let options = [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir=\(profile)",
      "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
      "--disable-extensions", "--disable-sync", "--disable-breakpad", "--disable-dev-shm-usage", "--mute-audio",
      "--force-color-profile=srgb", "about:blank",
    ]
    let script = #"directory=$1; shift; "$@"; rm -rf -- "$directory""#
    do {
      child = try SpawnedProcess(
        ["/bin/sh", "-c", script, "sh", profile, executable] + options,
        // Temporary files of Chromium are removed together with its directory.
        environment: ["TMPDIR": profile],
        streams: [
          0: .pipe, 1: .descriptor(messages), 2: .descriptor(messages), 3: .descriptor(theirs), 4: .descriptor(theirs),
        ],
        leadsGroup: true)
      child.closeInput()
    } catch {
      close(ours)
      close(messages)
      try? FileManager.default.removeItem(at: directory)
      throw error
    }
    self.directory = directory
    socket = ours
  }

  /// The last lines that Chromium has written to standard error.
  var lastMessages: String {
    var text = [UInt8](repeating: 0, count: 2000)
    let count = pread(messages, &text, text.count, max(0, lseek(messages, 0, Int32(SEEK_END)) - text.count))
    let lines = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
    return lines.isEmpty ? "no message" : lines.suffix(3).joined(separator: "; ")
  }

  /// Ends Chromium and removes its directory. It is called once.
  func end() {
    // Chromium ends when the socket is closed.
    shutdown(socket, Int32(SHUT_RDWR))
    let limit = Date(timeIntervalSinceNow: Self.timeToEnd)
    while !isOver, Date() < limit { usleep(10_000) }
    // Until the shell has been waited for, its number is not given to another process group.
    child.kill()
    child.wait()
    close(socket)
    close(messages)
    try? FileManager.default.removeItem(at: directory)
  }

  /// Whether the shell has ended; it stays to be waited for.
  private var isOver: Bool {
    var information = siginfo_t()
    let answer = waitid(P_PID, id_t(child.identifier), &information, WEXITED | WNOHANG | WNOWAIT)
    return answer == -1 || information.si_signo == SIGCHLD
  }

  /// Two connected sockets that no other child inherits, with numbers that are not 3 or 4.
  private static func socketPair() throws -> (Int32, Int32) {
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
      throw BrowserError("socketpair: \(String(cString: strerror(errno)))")
    }
    let moved = pair.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
    for descriptor in pair { close(descriptor) }
    guard !moved.contains(-1) else { throw BrowserError("fcntl: \(String(cString: strerror(errno)))") }
    // A command that Chromium does not read is an error instead of an endless wait. A read ends early to check the time.
    for (option, seconds) in [(SO_SNDTIMEO, 10), (SO_RCVTIMEO, 1)] {
      var limit = timeval(tv_sec: seconds, tv_usec: 0)
      setsockopt(moved[0], SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    return (moved[0], moved[1])
  }
}
