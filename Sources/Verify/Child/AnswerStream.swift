import CStorageInstrument
import Foundation

/// The stream on which a child process sends its answer to the parent; see `SpawnedProcess`. The stream is the child's
/// original standard output. Text that a library prints goes to standard error instead.
package struct AnswerStream: Sendable {
  private let descriptor: Int32

  /// Takes over the standard output of the process. Later prints go to standard error.
  package init() { descriptor = ci_take_standard_output() }

  /// Writes an answer as one line of JSON. The parent uses only the last answer.
  ///
  /// - Returns: Whether the answer could be written.
  @discardableResult
  package func write(_ answer: some Encodable) -> Bool {
    guard let text = try? JSONEncoder().encode(answer) else { return false }
    return write(text + Data("\n".utf8))
  }

  /// Writes an empty line, which shows the parent that the process makes progress.
  ///
  /// - Returns: Whether the line could be written.
  package func announceProgress() -> Bool { write(Data("\n".utf8)) }

  private func write(_ bytes: Data) -> Bool {
    bytes.withUnsafeBytes { ci_write_all(descriptor, $0.baseAddress, UInt64($0.count)) } == 0
  }
}
