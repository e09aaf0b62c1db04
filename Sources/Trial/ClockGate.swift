import Foundation
import StorageContract
import StorageVerify

/// The start signal for timing, as a measuring child process sees it. The child waits for the signal of its parent
/// process, so that no other measuring process runs while the child is timed.
///
/// The child writes an empty line when its store is prepared, and starts its clock when the parent process closes the
/// child's standard input. The child writes another empty line when its clock has stopped.
struct ClockGate {
  let answers: AnswerStream

  /// Waits until the parent process lets the clock start. Throws ``StoreError`` if the parent process is gone.
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
