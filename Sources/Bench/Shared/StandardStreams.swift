import CStorageInstrument
import Foundation
import StorageContract

/// Standard error of this process, unbuffered.
enum StandardError {
  static func write(_ text: String) {
    let bytes = Array(text.withoutWorkflowCommands.utf8)
    _ = bytes.withUnsafeBytes { ci_write_all(2, $0.baseAddress, UInt64($0.count)) }
  }

  static func say(_ sentence: String) {
    let line = sentence.visible
    // A text from a file may be very long. Its end is kept, because it contains the remedy.
    let shown = line.count > most ? line.prefix(most / 2) + " ... " + line.suffix(most / 2) : line[...]
    write("\(Program.name): \(shown)\n")
  }

  private static let most = 4_000
}

/// Standard output of this process, unbuffered, so that printed text is not lost if the process is killed.
enum StandardOutput {
  private static let failure = Failure()

  /// Writes a text to standard output. Workflow commands of GitHub Actions in the text are made harmless. An error of
  /// writing is reported later, by ``status(_:)``.
  static func write(_ text: String) { writeBytes(of: text.withoutWorkflowCommands) }

  static func write(commands: String) { writeBytes(of: commands) }

  private static func writeBytes(of text: String) {
    let bytes = Array(text.utf8)
    let error = bytes.withUnsafeBytes { ci_write_all(1, $0.baseAddress, UInt64($0.count)) }
    if error != 0 { failure.note(error) }
  }

  /// Returns the exit code of the process: `status`, or 74 if standard output could not be written. The codes 64
  /// (invalid argument), 69 (something must be installed) and 130 (interrupted) are always kept. A pipe that its reader
  /// has closed is not an error.
  static func status(_ status: Int32) -> Int32 {
    guard let error = failure.number, error != EPIPE,
      ![ExitStatus.usage, ExitStatus.unavailable, ExitStatus.interrupted].contains(status)
    else { return status }
    StandardError.write(
      "\(Program.name): standard output cannot be written: \(String(cString: strerror(error))); redirect it elsewhere\n"
    )
    return ExitStatus.ioError
  }

  /// The first error of writing to standard output.
  private final class Failure: @unchecked Sendable {
    private let lock = NSLock()
    private var first: Int32?

    var number: Int32? { lock.withLock { first } }

    func note(_ error: Int32) { lock.withLock { first = first ?? error } }
  }
}
