import Foundation
import StorageContract
import StorageRunFiles

/// The directory in which a run makes its stores: marked as the run's own, used by one process at a time, and removed at
/// the end.
///
/// Nothing outside of it is ever removed, so that `--scratch` can name any directory: the stores lie in one of this
/// program's own in there.
final class Scratch: Sendable {
  /// The directory, absolute.
  let path: String
  private let directory: OwnedDirectory

  /// The path of the directory of a run's stores.
  ///
  /// - Parameters:
  ///   - given: What `--scratch` says.
  ///   - out: The run's directory.
  /// - Throws: `UsageError` if what is given is empty.
  static func place(_ given: String?, out: String) throws -> String {
    guard let given else { return "\(URL(fileURLWithPath: out).path)/scratch" }
    return "\(try OwnedDirectory.absolute(given, flag: "--scratch"))/\(OwnedDirectory.storesName)"
  }

  /// Claims the directory, which is made if it is missing.
  ///
  /// - Parameters:
  ///   - path: Where it is. What is there and has no mark of this program's is left alone.
  ///   - run: What tells the run's stores apart from those of others. Fixtures that an interrupted run has left are
  ///     removed unless it is the same.
  /// - Throws: ``UsageError`` if it cannot be created or written to, is somebody else's, or another run has it.
  convenience init(_ path: String, run: String = "") throws {
    let directory = try OwnedDirectory.claim(path, flag: "--scratch") { path, _ in
      OwnedDirectory.isMarked(path)
    }
    try self.init(directory, run: run)
  }

  /// Takes a directory that is claimed.
  ///
  /// - Throws: ``UsageError`` if it cannot be written to.
  init(_ directory: OwnedDirectory, run: String = "") throws {
    self.directory = directory
    path = directory.path
    // What an interrupted run left.
    let left = directory.mark
    directory.remove("\(path)/trials")
    let isFolder = OwnedDirectory.lstat("\(path)/fixtures")?.st_mode.isDirectory == true
    if left != run || !isFolder { directory.remove("\(path)/fixtures") }
    if left != run { try directory.mark(run) }
  }

  /// Where trials have their directories.
  var trials: String { "\(path)/trials" }
  /// Where stores lie that were verified, for others to be compared with, see ``VerifiedStores``.
  var verified: String { "\(trials)/verified" }
  /// Where the stores lie that trials start from.
  var fixtures: String { "\(path)/fixtures" }

  /// A fresh directory for a trial, with room for a store and for temporary files.
  func makeTrialDirectory(_ number: Int) throws -> String {
    // With the process's number: a child that outlived its killed parent for a moment must not meet its successor.
    let directory = "\(trials)/\(PathNumber.process)-\(PathNumber.text(number, digits: 6))"
    for name in ["store", "tmp"] { try makeDirectory("\(directory)/\(name)") }
    return directory
  }

  /// Makes a directory in this one, with its parents, unless it is there.
  func makeDirectory(_ place: String) throws { try directory.makeDirectory(place) }

  /// Removes a directory in this one.
  func remove(_ place: String) { directory.remove(place) }

  /// Moves a directory within this one to a name that is not taken.
  func move(_ place: String, to other: String) throws { try directory.move(place, to: other) }

  /// Removes everything, or all but the fixtures, for a run that goes on later.
  func close(keepingFixtures: Bool) {
    defer { directory.release() }
    directory.remove(trials)
    guard !keepingFixtures else { return }
    directory.remove(fixtures)
    // Refused if anything else is in it.
    directory.removeIfEmpty()
  }
}
