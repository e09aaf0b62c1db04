import CStorageInstrument
import Foundation

/// The stream on which a started process answers the one that started it, see `SpawnedProcess`: standard output, out of reach of
/// libraries that print.
package struct AnswerStream: Sendable {
  private let descriptor: Int32

  /// Takes standard output: what is printed from here on goes to standard error.
  package init() { descriptor = ci_take_standard_output() }

  /// Writes an answer, a line of JSON. Of several, the last one counts.
  ///
  /// - Returns: Whether it could be written.
  @discardableResult
  package func write(_ answer: some Encodable) -> Bool {
    guard let text = try? JSONEncoder().encode(answer) else { return false }
    return write(text + Data("\n".utf8))
  }

  /// Announces progress by an empty line.
  ///
  /// - Returns: Whether it could be written.
  package func announceProgress() -> Bool { write(Data("\n".utf8)) }

  private func write(_ bytes: Data) -> Bool {
    bytes.withUnsafeBytes { ci_write_all(descriptor, $0.baseAddress, UInt64($0.count)) } == 0
  }
}
