import Foundation
import StorageContract
import StorageRunFiles

/// The directory that a user names for output.
enum OutputDirectory {
  /// Creates it, parents included.
  ///
  /// - Returns: The first directory of the path that was not there before, to be removed should nothing come of it.
  /// - Throws: `UsageError` naming it if it cannot be created or written to.
  @discardableResult
  static func create(_ path: String) throws -> String? {
    var missing: String?
    var parent = URL(fileURLWithPath: path).standardizedFileURL
    while !FileManager.default.fileExists(atPath: parent.path), parent.path != "/" {
      missing = parent.path
      parent.deleteLastPathComponent()
    }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw UsageError("cannot create \(path); give --out a directory that can be written")
    }
    guard access(path, W_OK | X_OK) == 0 else {
      throw UsageError("cannot write to \(path); give --out a directory that can be written")
    }
    return missing
  }

  /// Whether a directory that may not exist yet could be created and written to: nothing is made to find out.
  ///
  /// - Throws: `UsageError` naming it if not.
  static func check(_ path: String, flag: String) throws {
    var parent = URL(fileURLWithPath: path).standardizedFileURL
    var isDirectory: ObjCBool = false
    while !FileManager.default.fileExists(atPath: parent.path, isDirectory: &isDirectory), parent.path != "/" {
      parent.deleteLastPathComponent()
    }
    guard isDirectory.boolValue else {
      throw UsageError("\(parent.path) is not a directory; give \(flag) another path")
    }
    guard access(parent.path, W_OK | X_OK) == 0, !Linux.isReadOnly(parent.path) else {
      throw UsageError("cannot write to \(parent.path); give \(flag) a directory that can be written")
    }
  }

  /// Sees that a file can be written, or written anew.
  ///
  /// - Throws: `UsageError` naming the flag and what is wrong with the path.
  static func checkFile(_ path: String, flag: String) throws {
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
      throw UsageError("\(path) is a directory; give \(flag) the name of a file")
    }
    // Files are written beside their place and renamed: a device or a pipe would be replaced by a file.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw UsageError("\(path) is no regular file; give \(flag) the name of a file")
    }
    try check(URL(fileURLWithPath: path).deletingLastPathComponent().path, flag: flag)
  }

  /// Sees that a directory holds no run yet. One that was ended before its plan was written has measured nothing.
  ///
  /// - Throws: `UsageError` naming it if it does.
  static func checkNew(_ directory: RunDirectory) throws {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.url.path)) ?? []
    let trials = (try? FileManager.default.attributesOfItem(atPath: directory.trialsURL.path))?[.size] as? NSNumber
    if names.contains(directory.planURL.lastPathComponent) || trials.map({ $0.intValue > 0 }) == true {
      throw UsageError(
        "--out \(ShownFiles.path(directory.url)) holds another run; give a new directory, or go on with --resume"
      )
    }
  }

  /// The name of a run that nobody has named: the date and the time.
  static func stamp() -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd-HHmmss"
    return formatter.string(from: Date())
  }
}

/// `results/latest`, a link to the newest run.
enum LatestLink {
  /// Points the link beside a run's directory to it. A directory of that name is left alone.
  static func point(to directory: RunDirectory) {
    let link = directory.url.deletingLastPathComponent().appendingPathComponent("latest").path
    let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != nil
    if isLink { try? FileManager.default.removeItem(atPath: link) }
    try? FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.url.lastPathComponent)
  }
}
