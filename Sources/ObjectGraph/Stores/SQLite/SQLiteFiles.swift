import Foundation

/// A look at the files before SQLite opens them: at what it would take for an empty database, and begin anew.
struct SQLiteFiles {
  private let url: URL

  init(_ url: URL) { self.url = url }

  /// - Throws: ``ObjectGraphError/damaged(file:_:)``.
  func check() throws {
    let (name, size) = (url.lastPathComponent, size(of: url.path))
    guard size != 1 else { throw ObjectGraphError.damaged(file: name, "it is a file of one byte") }
    // Somebody has deleted, moved or emptied the main file alone: what the log holds would be lost.
    guard size > 0 || self.size(of: "\(url.path)-wal") == 0 else {
      throw ObjectGraphError.damaged(
        file: name, "\(name)-wal is there without it; put it back, or remove \(name)-wal to begin anew")
    }
  }

  private func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
