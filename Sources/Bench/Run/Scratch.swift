import Foundation
import StorageRunFiles
import Synchronization

/// The directory of a run's stores, reserved for one process at a time. Nothing outside the directory is removed.
final class Scratch: Sendable {
  /// A file system in an image file that contains the stores; nil if the stores are directly in ``claimedPath``.
  let disk: DeviceDisk?
  let directory: OwnedDirectory
  /// The last number that was used in the name of a trial's directory; 0 before the first one.
  private let numbers = Atomic(0)

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
      OwnedDirectory.mark(of: path) != nil
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
      try self.init(stores, run: run, on: disk)
    } catch {
      made?.close()
      directory.removeIfEmpty()
      throw error
    }
  }

  init(_ directory: OwnedDirectory, run: String = "", on disk: DeviceDisk? = nil) throws {
    (self.directory, self.disk) = (directory, disk)
    let path = directory.path
    // The mark contains the identity of the run that used the directory last.
    let left = directory.mark
    directory.remove("\(path)/trials")
    let isFolder = OwnedDirectory.lstat("\(path)/fixtures")?.st_mode.isDirectory == true
    if left != run || !isFolder { directory.remove("\(path)/fixtures") }
    if left != run { try directory.mark(run) }
  }

  var path: String { directory.path }
  /// The directory that this run has reserved for its stores, or for the image file of ``disk``.
  var claimedPath: String { (disk?.directory ?? directory).path }
  var trials: String { "\(path)/trials" }
  var verified: String { "\(trials)/verified" }
  var fixtures: String { "\(path)/fixtures" }

  func makeTrialDirectory() throws -> String {
    // The name has the process id: a child that outlives its killed parent must not use the next run's directory.
    let number = numbers.add(1, ordering: .relaxed).newValue
    return try makeTrialDirectory("\(PathNumber.process)-\(PathNumber.text(number, digits: 6))")
  }

  /// Creates a directory for a trial, with subdirectories for its store and temporary files, and returns its path.
  func makeTrialDirectory(_ name: String) throws -> String {
    let directory = "\(trials)/\(name)"
    for part in ["store", "tmp"] { try self.directory.makeDirectory("\(directory)/\(part)") }
    return directory
  }

  func close(keepingFixtures: Bool) {
    directory.remove(trials)
    if !keepingFixtures, disk == nil {
      directory.remove(fixtures)
      directory.removeIfEmpty()
    }
    directory.release()
    // The initial stores on the disk are lost; a resumed run makes them again.
    disk?.close()
    disk?.directory.removeIfEmpty()
    disk?.directory.release()
  }
}
