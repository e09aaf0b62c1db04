import Foundation
import StorageContract

/// The journal of a run: the file `trials.jsonl`, with one line per trial.
public final class Journal {
  private let path: String
  private let handle: FileHandle

  /// Opens or creates the journal of a run. An incomplete last line is removed.
  ///
  /// - Throws: ``FileWriteError`` if the journal cannot be opened; `UsageError` if another process has locked it.
  public init(_ directory: RunDirectory) throws {
    path = directory.trialsURL.path
    handle = FileHandle(fileDescriptor: try AtomicFile.openForAppending(path), closeOnDealloc: true)
    // The same job may run on another node, which does not see the lock of the scratch directory. File systems without
    // locks are accepted.
    if flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw UsageError("another process is writing \(path); wait until it ends")
    }
    let end = try directory.trials.forEach { _ in }
    try handle.truncate(atOffset: UInt64(end.wholeBytes))
    if end.wholeBytes > 0 {
      // A complete last line may lack its line break.
      try handle.seek(toOffset: UInt64(end.wholeBytes - 1))
      let last = try handle.read(upToCount: 1)
      if last != Data([UInt8(ascii: "\n")]) { try handle.write(contentsOf: Data([UInt8(ascii: "\n")])) }
    }
    try handle.seekToEnd()
  }

  deinit {
    // A process that is just being started has a copy of the descriptor, which would keep the lock.
    flock(handle.fileDescriptor, LOCK_UN)
    try? handle.close()
  }

  /// Appends a trial to the journal, and syncs the file. Without `synced`, the caller must call ``synchronize()``
  /// later.
  ///
  /// - Throws: ``FileWriteError`` if the trial cannot be written.
  public func append(_ trial: Trial, synced: Bool = true) throws {
    do {
      let line = try JSONEncoder.compact.text(trial) + "\n"
      try handle.write(contentsOf: Data(line.utf8))
      if synced { try handle.synchronize() }
    } catch {
      let advice =
        error.isFullDisk
        ? "free some space" : "check its disk or network drive for errors, and any limit on file sizes"
      throw FileWriteError(path: path, reason: AtomicFile.reason(of: error), advice: advice)
    }
  }

  /// Syncs the journal to the disk, after trials were appended without a sync.
  public func synchronize() throws { try handle.synchronize() }
}
