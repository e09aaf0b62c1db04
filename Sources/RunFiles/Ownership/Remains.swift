import Foundation

/// The temporary files of this process, and its directories from ``OwnedDirectory/temporary(in:flag:)``. They are
/// removed when a signal ends the process.
package enum Remains {
  private static let paths = Paths()

  /// Registers a file, or a directory with its content.
  package static func add(_ path: String) { paths.change { $0.insert(path) } }

  /// Unregisters a path that was removed or renamed.
  package static func forget(_ path: String) { paths.change { $0.remove(path) } }

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
