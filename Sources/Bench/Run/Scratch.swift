import Foundation
import StorageRunFiles
import Synchronization

/// The directory of a run's stores, reserved for one process at a time. Nothing outside the directory is removed.
final class Scratch: Sendable {
  let path: String
  /// The directory that this run has reserved for its stores, or for the image file of ``disk``.
  let claimedPath: String
  /// A file system in an image file that contains the stores; nil if the stores are directly in ``claimedPath``.
  let disk: DeviceDisk?
  private let directory: OwnedDirectory
  private let outer: OwnedDirectory?
  /// The last number that was used in the name of a trial's directory; 0 before the first one.
  private let numbers = Mutex(0)

  /// Returns the directory for a run's stores: a subdirectory of `given` (the option `--scratch`), or else of `out`.
  ///
  /// - Throws: `UsageError` if `given` is empty.
  static func directory(_ given: String?, out: String) throws -> String {
    guard let given else { return "\(URL(fileURLWithPath: out).path)/scratch" }
    return "\(try OwnedDirectory.absolute(given, flag: "--scratch"))/\(OwnedDirectory.storesName)"
  }

  /// Reserves the directory of a run's stores. The initial stores in it are kept only if they belong to the same `run`.
  ///
  /// - Throws: ``UsageError`` if the directory is not writable, not made by this program, or in use.
  convenience init(_ path: String, run: String = "", device: DeviceKind? = nil) throws {
    let directory = try OwnedDirectory.claim(path, flag: "--scratch") { path, _ in
      OwnedDirectory.isMarked(path)
    }
    guard let device else {
      try self.init(directory, run: run)
      return
    }
    var made: DeviceDisk?
    do {
      try directory.mark(run)
      let disk = try DeviceDisk(device, in: directory)
      made = disk
      let stores = try OwnedDirectory.claim("\(disk.path)/\(OwnedDirectory.storesName)", flag: "--scratch")
      try self.init(stores, run: run, on: disk, in: directory)
    } catch {
      made?.close()
      directory.removeIfEmpty()
      throw error
    }
  }

  init(_ directory: OwnedDirectory, run: String = "", on disk: DeviceDisk? = nil, in outer: OwnedDirectory? = nil)
    throws
  {
    self.directory = directory
    (self.disk, self.outer) = (disk, outer)
    path = directory.path
    claimedPath = outer?.path ?? path
    // The mark contains the identity of the run that used the directory last.
    let left = directory.mark
    directory.remove("\(path)/trials")
    let isFolder = OwnedDirectory.lstat("\(path)/fixtures")?.st_mode.isDirectory == true
    if left != run || !isFolder { directory.remove("\(path)/fixtures") }
    if left != run { try directory.mark(run) }
  }

  var trials: String { "\(path)/trials" }
  var verified: String { "\(trials)/verified" }
  var fixtures: String { "\(path)/fixtures" }

  func makeTrialDirectory() throws -> String {
    // The name has the process id: a child that outlives its killed parent must not use the next run's directory.
    let number = numbers.withLock { last in
      last += 1
      return last
    }
    return try makeTrialDirectory("\(PathNumber.process)-\(PathNumber.text(number, digits: 6))")
  }

  /// Creates a directory for a trial, with subdirectories for its store and temporary files, and returns its path.
  func makeTrialDirectory(_ name: String) throws -> String {
    let directory = "\(trials)/\(name)"
    for part in ["store", "tmp"] { try makeDirectory("\(directory)/\(part)") }
    return directory
  }

  func makeDirectory(_ path: String) throws { try directory.makeDirectory(path) }

  func remove(_ path: String) { directory.remove(path) }

  func move(_ path: String, to other: String) throws { try directory.move(path, to: other) }

  func close(keepingFixtures: Bool) {
    defer {
      directory.release()
      // The initial stores on the disk are lost; a resumed run makes them again.
      disk?.close()
      outer?.removeIfEmpty()
      outer?.release()
    }
    directory.remove(trials)
    guard !keepingFixtures, disk == nil else { return }
    directory.remove(fixtures)
    directory.removeIfEmpty()
  }
}
