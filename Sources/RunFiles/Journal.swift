import Foundation
import StorageContract

/// `trials.jsonl`: one line per trial, on the disk before the next trial starts.
///
/// Whatever ends the run, what was measured is there, and a resumed run does nothing twice.
public final class Journal {
  private let path: String
  private let handle: FileHandle

  /// Opens the journal, or begins one. A last line that was not finished is cut off.
  ///
  /// - Throws: ``FileWriteError`` if it cannot be opened, `UsageError` if another process has it.
  public init(_ directory: RunDirectory) throws {
    path = directory.trialsURL.path
    handle = FileHandle(fileDescriptor: try AtomicFile.openForAppending(path), closeOnDealloc: true)
    // A job that was requeued, or submitted twice, may be at it on another node: the scratch directory, which has a lock
    // of its own, need not be the same there. File systems without locks are taken as they are.
    if flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw UsageError("another process is writing \(path); wait for its end")
    }
    let end = try directory.trials.forEach { _ in }
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
  /// - Throws: ``FileWriteError`` if the disk does not take it.
  public func append(_ trial: Trial, synced: Bool = true) throws {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      var line = try encoder.encode(trial)
      line.append(UInt8(ascii: "\n"))
      try handle.write(contentsOf: line)
      if synced { try handle.synchronize() }
    } catch {
      throw FileWriteError(
        path: path, reason: AtomicFile.reason(of: error), advice: "free some space")
    }
  }

  /// Syncs what was appended without.
  public func synchronize() throws { try handle.synchronize() }
}
