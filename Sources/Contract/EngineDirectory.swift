import Foundation

/// The directory of the database libraries that the command `scripts/install engines` has fetched.
package enum EngineDirectory {
  /// The name of the environment variable that sets the path of the directory with fetched database libraries. Without
  /// it, the directory is in the user's cache. A child process with another home directory gets the variable, so that
  /// it finds the same libraries.
  package static let variable = "STORAGE_BENCH_ENGINES"

  package static var path: String {
    let variables = ProcessInfo.processInfo.environment
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    return value(variable)
      ?? (value("XDG_CACHE_HOME") ?? "\(value("HOME") ?? "/")/.cache") + "/storage-bench/engines"
  }
}
