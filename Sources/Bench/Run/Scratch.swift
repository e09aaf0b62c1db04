import Foundation
import StorageContract
import StorageRunFiles

/// The directory in which a run makes its stores. It is marked as the run's own, used by one process at a time, and
/// removed at the end.
///
/// Nothing outside the directory is ever removed, so `--scratch` can name any directory. The stores are in a separate
/// directory of this program within the directory that `--scratch` names.
final class Scratch: Sendable {
  let path: String
  private let directory: OwnedDirectory

  /// Returns the path of the directory for a run's stores.
  ///
  /// - Parameters:
  ///   - given: The value of `--scratch`.
  ///   - out: The directory of the run.
  /// - Throws: `UsageError` if the value is empty.
  static func directory(_ given: String?, out: String) throws -> String {
    guard let given else { return "\(URL(fileURLWithPath: out).path)/scratch" }
    return "\(try OwnedDirectory.absolute(given, flag: "--scratch"))/\(OwnedDirectory.storesName)"
  }

  /// Claims the scratch directory, and creates it if it is missing.
  ///
  /// - Parameters:
  ///   - path: The path of the directory. An existing directory without this program's mark is not used.
  ///   - run: The identity of the run. Initial stores in the directory are removed if another run has made them.
  /// - Throws: ``UsageError`` if the directory cannot be created or written to, is not this program's, or is claimed by
  ///   another run.
  convenience init(_ path: String, run: String = "") throws {
    let directory = try OwnedDirectory.claim(path, flag: "--scratch") { path, _ in
      OwnedDirectory.isMarked(path)
    }
    try self.init(directory, run: run)
  }

  /// Turns a directory that is already claimed into the scratch directory.
  ///
  /// - Throws: ``UsageError`` if the directory cannot be written to.
  init(_ directory: OwnedDirectory, run: String = "") throws {
    self.directory = directory
    path = directory.path
    // The mark contains the identity of an interrupted run.
    let left = directory.mark
    directory.remove("\(path)/trials")
    let isFolder = OwnedDirectory.lstat("\(path)/fixtures")?.st_mode.isDirectory == true
    if left != run || !isFolder { directory.remove("\(path)/fixtures") }
    if left != run { try directory.mark(run) }
  }

  var trials: String { "\(path)/trials" }
  /// The directory of verified stores, with which later stores are compared: see ``VerifiedStores``.
  var verified: String { "\(trials)/verified" }
  var fixtures: String { "\(path)/fixtures" }

  /// Creates a new directory for a trial (process), with directories for a store and for temporary files.
  func makeTrialDirectory(_ number: Int) throws -> String {
    // The name contains the process's number, because a child may outlive its killed parent briefly and must not use
    // the directory of the next run.
    let directory = "\(trials)/\(PathNumber.process)-\(PathNumber.text(number, digits: 6))"
    for name in ["store", "tmp"] { try makeDirectory("\(directory)/\(name)") }
    return directory
  }

  /// Creates a directory within the scratch directory, with its parents, unless it exists.
  func makeDirectory(_ path: String) throws { try directory.makeDirectory(path) }

  func remove(_ path: String) { directory.remove(path) }

  /// Moves a directory within the scratch directory to an unused name.
  func move(_ path: String, to other: String) throws { try directory.move(path, to: other) }

  /// Removes all stores. The initial stores (fixtures) can be kept for a run that is resumed later.
  func close(keepingFixtures: Bool) {
    defer { directory.release() }
    directory.remove(trials)
    guard !keepingFixtures else { return }
    directory.remove(fixtures)
    // This has no effect if the directory contains anything else.
    directory.removeIfEmpty()
  }
}
