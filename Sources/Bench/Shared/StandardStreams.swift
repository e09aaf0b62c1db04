import CStorageInstrument
import Foundation
import Synchronization

enum StandardError {
  static func write(_ text: String) {
    let bytes = Array(text.withoutWorkflowCommands.utf8)
    _ = bytes.withUnsafeBytes { ci_write_all(2, $0.baseAddress, UInt64($0.count)) }
  }

  static func say(_ sentence: String) {
    let line = sentence.visible
    // A long text is cut in the middle, because its end contains the remedy.
    let shown = line.count > most ? line.prefix(most / 2) + " ... " + line.suffix(most / 2) : line[...]
    write("\(Program.name): \(shown)\n")
  }

  private static let most = 4_000
}

/// Standard output of this process, unbuffered, so that printed text is not lost if the process is killed.
enum StandardOutput {
  /// The first error of writing to standard output.
  private static let failure = Mutex<Int32?>(nil)

  /// Writes a text to standard output, with GitHub workflow commands made harmless. ``status(_:)`` reports errors.
  static func write(_ text: String) { write(commands: text.withoutWorkflowCommands) }

  static func write(commands: String) {
    let bytes = Array(commands.utf8)
    let error = bytes.withUnsafeBytes { ci_write_all(1, $0.baseAddress, UInt64($0.count)) }
    if error != 0 { failure.withLock { $0 = $0 ?? error } }
  }

  /// Returns 74 if standard output could not be written, otherwise `status`. A closed pipe is not an error. The codes
  /// 64 (usage), 69 (unavailable) and 130 (interrupted) always stay.
  static func status(_ status: Int32) -> Int32 {
    guard let error = failure.withLock({ $0 }), error != EPIPE,
      ![ExitStatus.usage, ExitStatus.unavailable, ExitStatus.interrupted].contains(status)
    else { return status }
    StandardError.write(
      "\(Program.name): standard output cannot be written: \(String(cString: strerror(error))); redirect it elsewhere\n"
    )
    return ExitStatus.ioError
  }
}

/// The program that the user started: `storage-bench`, or another program with additional backends.
enum Program {
  static let name: String = {
    let name = URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
    return name.isEmpty || name == "/" ? "storage-bench" : name
  }()

  /// Returns the arguments of this process without the name of the command.
  static func arguments(of command: String?) -> [String] {
    let arguments = CommandLine.arguments.dropFirst()
    return Array(arguments.first == command ? arguments.dropFirst() : arguments)
  }

  static var command: [String] { [name] + CommandLine.arguments.dropFirst() }
}
