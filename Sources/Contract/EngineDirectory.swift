import Foundation

/// The directory of the libraries that `scripts/install engines` has fetched.
package enum EngineDirectory {
  /// The name of an environment variable with the path of the directory. Without the variable, the directory is in the
  /// user's cache. Child processes that run with another home directory get the variable, so that they find the same
  /// libraries.
  package static let variable = "STORAGE_BENCH_ENGINES"

  package static var path: String {
    let variables = ProcessInfo.processInfo.environment
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    return value(variable)
      ?? (value("XDG_CACHE_HOME") ?? "\(value("HOME") ?? "/")/.cache") + "/storage-bench/engines"
  }
}
