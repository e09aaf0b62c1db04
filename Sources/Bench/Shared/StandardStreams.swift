import CStorageInstrument
import Foundation
import StorageContract

/// Standard error, unbuffered.
enum StandardError {
  static func write(_ text: String) {
    let bytes = Array(text.withoutWorkflowCommands.utf8)
    _ = bytes.withUnsafeBytes { ci_write_all(2, $0.baseAddress, UInt64($0.count)) }
  }

  /// Writes one sentence of the program in a line of its own, whatever texts of files it has in it.
  static func say(_ sentence: String) {
    let line = sentence.visible
    // A text of a file may have any length; the end has the fix.
    let shown = line.count > most ? line.prefix(most / 2) + " ... " + line.suffix(most / 2) : line[...]
    write("\(Program.name): \(shown)\n")
  }

  private static let most = 4_000
}

/// Standard output, unbuffered: what was printed is there even if the process is killed.
enum StandardOutput {
  private static let failure = Failure()

  /// Writes a text without workflow commands. ``status(_:)`` tells a failure at the end, so that a run goes on and keeps its
  /// files.
  static func write(_ text: String) { writeBytes(of: text.withoutWorkflowCommands) }

  /// Writes the commands that are for GitHub Actions.
  static func write(commands: String) { writeBytes(of: commands) }

  private static func writeBytes(of text: String) {
    let bytes = Array(text.utf8)
    let error = bytes.withUnsafeBytes { ci_write_all(1, $0.baseAddress, UInt64($0.count)) }
    if error != 0 { failure.note(error) }
  }

  /// The exit code of a command, which is 74 where its output could not be written and nothing worse happened.
  ///
  /// A reader that has seen enough, as `head` has, has closed the pipe: that is no failure.
  static func status(_ status: Int32) -> Int32 {
    guard let error = failure.number, error != EPIPE,
      ![ExitStatus.usage, ExitStatus.unavailable, ExitStatus.interrupted].contains(status)
    else { return status }
    StandardError.write(
      "\(Program.name): standard output cannot be written: \(String(cString: strerror(error))); redirect it elsewhere\n"
    )
    return ExitStatus.ioError
  }

  /// The first error.
  private final class Failure: @unchecked Sendable {
    private let lock = NSLock()
    private var first: Int32?

    var number: Int32? { lock.withLock { first } }

    func note(_ error: Int32) { lock.withLock { first = first ?? error } }
  }
}
