import Foundation
import StorageContract
import StorageVerify

/// What keeps a timed process from starting its clock beside other processes, as that process sees it: it tells by an
/// empty line that it has prepared its store, may start when its standard input ends, and tells by another empty line
/// that the clock has stopped.
///
/// The end of input needs nobody to write to a process that may be gone.
struct ClockGate {
  /// Where the answer goes, after the empty lines.
  let answers: AnswerStream

  /// Waits until the clock may start.
  ///
  /// - Throws: ``StoreError`` if nobody is there any more who would let it.
  func wait() throws {
    try tell()
    _ = try FileHandle.standardInput.readToEnd()
  }

  /// Tells that the clock has stopped.
  ///
  /// - Throws: ``StoreError`` if nobody is there any more to hear it.
  func clockHasStopped() throws { try tell() }

  private func tell() throws {
    guard answers.announceProgress() else {
      throw StoreError.failed("the process that waits for the answer is gone")
    }
  }
}
