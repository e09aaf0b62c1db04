import Foundation

/// The list of this process's temporary files and directories, which are removed if a signal ends the process.
package enum Remains {
  private static let paths = Paths()

  package static func add(_ path: String) { paths.change { $0.insert(path) } }

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
