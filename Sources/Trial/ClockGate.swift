import Foundation
import StorageContract
import StorageVerify

/// The child's side of the start signal for timing. The child writes an empty line when ready, and another when its
/// clock has stopped. The end of the child's input starts the clock.
struct ClockGate {
  let answers: AnswerStream

  /// Waits for the parent process's signal to start the clock. Throws ``StoreError`` if the parent has ended.
  func wait() throws {
    try tell()
    _ = try FileHandle.standardInput.readToEnd()
  }

  func clockHasStopped() throws { try tell() }

  private func tell() throws {
    guard answers.announceProgress() else {
      throw StoreError.failed("the process that waits for the answer is gone")
    }
  }
}
