import Foundation

/// What this process has made for itself and removes at its end: temporary files, and directories of
/// ``OwnedDirectory/temporary(in:flag:)``. A signal that ends the process removes them here.
package enum Remains {
  private static let paths = Paths()

  /// Notes a file, or a directory with everything in it.
  package static func add(_ path: String) { paths.change { $0.insert(path) } }

  /// Forgets one that is removed, or has been given its name.
  package static func forget(_ path: String) { paths.change { $0.remove(path) } }

  /// Removes all that is noted.
  package static func removeAll() {
    for path in paths.change({ paths in
      defer { paths = [] }
      return paths
    }) {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  private final class Paths: @unchecked Sendable {
    private let lock = NSLock()
    private var paths: Set<String> = []

    @discardableResult
    func change<Result>(_ body: (inout Set<String>) -> Result) -> Result { lock.withLock { body(&paths) } }
  }
}
