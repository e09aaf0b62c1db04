import Foundation

/// The location of a store's file, checked before the store is opened, because later errors are less clear.
struct StoreLocation {
  let url: URL

  var name: String { url.lastPathComponent }

  /// Checks that a store can be opened or created at this location.
  ///
  /// - Parameter mustExist: Whether a missing file is an error.
  /// - Throws: ``ObjectGraphError/cannotOpen(file:_:)``.
  func check(mustExist: Bool) throws {
    try require(
      url.isFileURL,
      .cannotOpen(file: name, "\(url.absoluteString) is not a file URL; make it with URL(fileURLWithPath:)"))
    let directory = url.deletingLastPathComponent().path
    try require(Self.kind(of: directory) == S_IFDIR, .cannotOpen(file: name, "there is no directory \(directory)"))
    let kind = Self.kind(of: url.path)
    if let kind, kind != S_IFREG {
      let what = kind == S_IFDIR ? "a directory" : "a device, a pipe or a socket"
      throw ObjectGraphError.cannotOpen(file: name, "it is not a file, but \(what)")
    }
    try require(kind != nil || !mustExist, .cannotOpen(file: name, "there is no such file in \(directory)"))
  }

  /// Checks a store's files before SQLite opens them. SQLite would take some damaged files for an empty database.
  func checkDatabase() throws {
    let status = FileCalls.status(of: url.path)
    let (size, linkCount) = (status?.st_size ?? 0, status?.st_nlink ?? 0)
    // SQLite has one log for each file name. A process that uses another name of the file would not see this log.
    guard linkCount <= 1 else {
      throw ObjectGraphError.cannotOpen(
        file: name, "it has \(linkCount) names (hard links), and a database must have one; open a copy of it")
    }
    guard size != 1 else { throw ObjectGraphError.damaged(file: name, "it is a file of one byte") }
    // The main file was deleted, moved or emptied without its log. A new database would lose the log's contents.
    guard size > 0 || FileCalls.status(of: "\(url.path)-wal")?.st_size ?? 0 == 0 else {
      throw ObjectGraphError.damaged(
        file: name,
        "\(name)-wal exists, but \(name) is missing or empty; put \(name) back, or remove \(name)-wal to start afresh")
    }
  }

  /// The path of the file, with symbolic links resolved as by the operating system.
  var path: String {
    var path = url.absoluteURL.path
    // A link may lead to a file that does not exist yet. Linux follows at most 40 links (path_resolution(7)).
    for _ in 0..<40 {
      if let found = Self.real(path) { return found }
      let link = URL(fileURLWithPath: path)
      let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        return Self.real(directory.isEmpty ? "/" : directory).map { "\($0)/\(link.lastPathComponent)" } ?? path
      }
      path = target.hasPrefix("/") ? target : "\(directory)/\(target)"
    }
    return path
  }

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  private static func kind(of path: String) -> mode_t? {
    FileCalls.status(of: path).map { $0.st_mode & S_IFMT }
  }
}
