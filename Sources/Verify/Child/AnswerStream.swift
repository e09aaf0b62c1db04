import CStorageInstrument
import Foundation

/// The stream for the answers of a child process: its original standard output. Text printed by libraries goes to
/// standard error.
package struct AnswerStream: Sendable {
  private let descriptor: Int32

  package init() { descriptor = ci_take_standard_output() }

  /// Sends an answer to the parent process as one line of JSON, and returns whether it was sent. The parent uses only
  /// the last answer.
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
