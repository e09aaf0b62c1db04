import Foundation
import Synchronization

/// The list of this process's temporary files and directories, which are removed if a signal ends the process.
package enum Remains {
  private static let paths = Mutex<Set<String>>([])

  package static func add(_ path: String) { _ = paths.withLock { $0.insert(path) } }

  package static func forget(_ path: String) { _ = paths.withLock { $0.remove(path) } }

  package static func removeAll() {
    for path in paths.withLock({ exchange(&$0, with: []) }) {
      try? FileManager.default.removeItem(atPath: path)
    }
  }
}
