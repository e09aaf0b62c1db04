import Foundation
import StorageContract
import StorageVerify

/// The child's side of the start signal for timing, which keeps a timed process from running beside other processes.
/// The child writes an empty line when its store is prepared, starts when its standard input ends, and writes another
/// empty line when the clock has stopped.
///
/// The end of the input needs no write to a process that may be gone.
struct ClockGate {
  /// The stream to which the child writes the empty lines and then the result of the trial.
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
