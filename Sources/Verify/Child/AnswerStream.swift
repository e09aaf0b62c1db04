import CStorageInstrument
import Foundation

/// The stream on which a child process sends its answer to the parent process: the child's original standard output.
/// Text that a library prints goes to standard error instead.
package struct AnswerStream: Sendable {
  private let descriptor: Int32

  package init() { descriptor = ci_take_standard_output() }

  /// Sends an answer to the parent process as one line of JSON. Returns whether the answer was sent. The parent uses
  /// only the last answer.
  @discardableResult
  package func write(_ answer: some Encodable) -> Bool {
    guard let text = try? JSONEncoder().encode(answer) else { return false }
    return write(text + Data("\n".utf8))
  }

  package func announceProgress() -> Bool { write(Data("\n".utf8)) }

  private func write(_ bytes: Data) -> Bool {
    bytes.withUnsafeBytes { ci_write_all(descriptor, $0.baseAddress, UInt64($0.count)) } == 0
  }
}
