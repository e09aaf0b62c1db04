import Foundation

/// A look at the files before SQLite opens them, which says little about what is wrong and begins an empty database
/// where something is missing.
struct SQLiteFiles {
  private let url: URL
  private let options: StoreOptions

  init(_ url: URL, _ options: StoreOptions) {
    self.url = url
    self.options = options
  }

  private var name: String { url.lastPathComponent }

  /// - Throws: ``ObjectGraphError/cannotOpen(file:_:)``, ``ObjectGraphError/damaged(file:_:)``.
  func check() throws {
    guard url.isFileURL else {
      throw ObjectGraphError.cannotOpen(file: name, "\(url.absoluteString) is not a file")
    }
    let directory = url.deletingLastPathComponent().path
    guard kind(of: directory) == S_IFDIR else {
      throw ObjectGraphError.cannotOpen(file: name, "there is no directory \(directory)")
    }
    let kind = kind(of: url.path)
    if let kind, kind != S_IFREG {
      let what = kind == S_IFDIR ? "a directory" : "a device, a pipe or a socket"
      throw ObjectGraphError.cannotOpen(file: name, "it is not a file, but \(what)")
    }
    // A log without its database means that somebody has deleted, moved or emptied the main file alone: opening
    // would begin an empty store and lose what the log holds.
    if size(of: url.path) == 0, size(of: "\(url.path)-wal") > 0 {
      throw ObjectGraphError.damaged(
        file: name, "\(name)-wal is there without it; put it back, or remove \(name)-wal to begin anew")
    }
    if kind == nil, options.isReadOnly {
      throw ObjectGraphError.cannotOpen(file: name, "there is no such file in \(directory)")
    }
  }

  /// What is at a path, links followed, or nil if there is nothing.
  private func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
