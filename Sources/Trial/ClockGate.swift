import Foundation
import StorageContract
import StorageVerify

/// A gate at which a measuring child process waits until its parent process lets it start the clock. No other measuring
/// process runs while the child is timed.
///
/// The child writes an empty line when its store is prepared, and another when its clock has stopped. To start the
/// clock, the parent closes the child's standard input.
struct ClockGate {
  let answers: AnswerStream

  /// Waits until the parent process gives the signal to start the clock. Throws ``StoreError`` if the parent has ended.
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
