import Foundation

/// The temporary files of this process, and its directories of ``OwnedDirectory/temporary(in:flag:)``. When a signal ends
/// the process, they are removed here.
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
