import CStorageInstrument
import Foundation
import StorageContract
import StorageReport

/// `trials.jsonl`: one line per trial, on the disk before the next trial starts.
///
/// Whatever ends the run, what was measured is there, and a resumed run does nothing twice.
final class Journal {
  private let path: String
  private let handle: FileHandle

  /// Opens the journal, or begins one. A last line that was not finished is cut off.
  ///
  /// - Throws: ``ExitStatus/Failure`` if it cannot be opened.
  init(_ directory: RunDirectory) throws {
    path = directory.trialsURL.path
    if !FileManager.default.fileExists(atPath: path) {
      guard FileManager.default.createFile(atPath: path, contents: nil) else {
        throw ExitStatus.Failure(ExitStatus.ioError, "cannot create \(path); check the directory and the space left")
      }
    }
    let end = try directory.trials.forEach { _ in }
    guard let handle = FileHandle(forUpdatingAtPath: path) else {
      throw ExitStatus.Failure(ExitStatus.ioError, "cannot open \(path) for writing; check its permissions")
    }
    self.handle = handle
    try handle.truncate(atOffset: UInt64(end.wholeBytes))
    if end.wholeBytes > 0 {
      // A whole last line may lack its end.
      try handle.seek(toOffset: UInt64(end.wholeBytes - 1))
      let last = try handle.read(upToCount: 1)
      if last != Data([UInt8(ascii: "\n")]) { try handle.write(contentsOf: Data([UInt8(ascii: "\n")])) }
    }
    try handle.seekToEnd()
  }

  deinit { try? handle.close() }

  /// Appends a trial and, unless many are to follow at once, syncs.
  ///
  /// - Throws: ``ExitStatus/Failure`` if the disk does not take it.
  func append(_ trial: Trial, synced: Bool = true) throws {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      var line = try encoder.encode(trial)
      line.append(UInt8(ascii: "\n"))
      try handle.write(contentsOf: line)
      if synced { try handle.synchronize() }
    } catch {
      throw ExitStatus.Failure(
        ExitStatus.ioError, "cannot write \(path): \(error.localizedDescription); free some space and resume the run")
    }
  }

  /// Syncs what was appended without.
  func synchronize() throws { try handle.synchronize() }
}
