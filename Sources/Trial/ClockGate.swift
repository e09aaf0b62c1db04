import Foundation
import StorageContract
import StorageVerify

/// The child process's side of the start signal for timing. Because of the signal, no other process runs while the
/// child is timed.
///
/// The child writes an empty line when its store is prepared, and starts when its standard input ends. It writes
/// another empty line when the clock has stopped. The parent signals by closing the input, since a write to a process
/// that is gone would fail.
struct ClockGate {
  /// The stream to the parent process, for the two empty lines and then the result of the trial.
  let answers: AnswerStream

  /// Waits for the signal of the parent process that the clock may start.
  ///
  /// - Throws: ``StoreError`` if the parent process is gone.
  func wait() throws {
    try tell()
    _ = try FileHandle.standardInput.readToEnd()
  }

  /// Reports to the parent process that the clock has stopped.
  ///
  /// - Throws: ``StoreError`` if the parent process is gone.
  func clockHasStopped() throws { try tell() }

  private func tell() throws {
    guard answers.announceProgress() else {
      throw StoreError.failed("the process that waits for the answer is gone")
    }
  }
}
