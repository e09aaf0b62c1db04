import CStorageInstrument
import Foundation
import StorageContract
import SystemPackage

/// The directory in which a run makes its stores; everything in it is the run's own and is removed at the end.
///
/// A lock on the directory keeps a second run away, which would disturb the times and mix up the files.
final class Scratch: Sendable {
  /// The directory, absolute.
  let path: String
  private let lock: FileDescriptor
  private let isOwn: Bool

  /// Creates the directory if need be, and takes its lock.
  ///
  /// - Parameter isOwn: Whether the directory itself is the run's, and goes with it.
  /// - Throws: ``UsageError`` if it cannot be created or written to, or another run has it.
  init(_ path: String, isOwn: Bool) throws {
    self.path = path
    self.isOwn = isOwn
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      lock = try FileDescriptor.open(
        FilePath("\(path)/.lock"), .readWrite, options: [.create, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
    } catch {
      throw UsageError("cannot write to the scratch directory \(path); give --scratch a directory that can be written")
    }
    guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      try? lock.close()
      throw UsageError(
        "another run is using the scratch directory \(path); wait for its end, or give --scratch another")
    }
    // What an interrupted run left.
    try? FileManager.default.removeItem(atPath: trials)
  }

  /// Where trials have their directories.
  var trials: String { "\(path)/trials" }
  /// Where stores lie that timed trials have left and verified, see ``KeptStores``.
  var verified: String { "\(trials)/verified" }
  /// Where the stores lie that trials start from.
  var fixtures: String { "\(path)/fixtures" }

  /// A fresh directory for a trial, with room for a store and for temporary files.
  func makeTrialDirectory(_ number: Int) throws -> String {
    // With the process's number: a child that outlived its killed parent for a moment must not meet its successor.
    let directory = "\(trials)/\(PathNumber.process)-\(PathNumber.text(number, digits: 6))"
    for name in ["store", "tmp"] {
      try FileManager.default.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
    }
    return directory
  }

  /// Removes a trial's directory.
  func remove(_ directory: String) { try? FileManager.default.removeItem(atPath: directory) }

  /// Removes everything and lets go of the lock.
  func close(keepingFixtures: Bool) {
    try? FileManager.default.removeItem(atPath: trials)
    if !keepingFixtures {
      try? FileManager.default.removeItem(atPath: fixtures)
      try? FileManager.default.removeItem(atPath: "\(path)/.lock")
      // The user's own directory stays; rmdir would refuse if anything else were in it.
      if isOwn { _ = rmdir(path) }
    }
    try? lock.close()
  }
}

/// Numbers in the paths of stores, as long in one run as in another: a character more can be an allocation more in every
/// operation, where a path no longer fits into what was taken for it.
enum PathNumber {
  /// This process's number: Linux gives none above 4,194,304, see proc(5).
  static var process: String { text(getpid(), digits: 7) }

  /// A number with zeros before it.
  static func text(_ number: some BinaryInteger, digits: Int, radix: Int = 10) -> String {
    let text = String(number, radix: radix)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
