import Foundation

/// The directory of the libraries that `scripts/install engines` has fetched.
package enum EngineDirectory {
  /// An environment variable with the path of another directory. Child processes with another home get it, too.
  package static let variable = "STORAGE_BENCH_ENGINES"

  package static var path: String {
    let variables = ProcessInfo.processInfo.environment
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    return value(variable)
      ?? (value("XDG_CACHE_HOME") ?? "\(value("HOME") ?? "/")/.cache") + "/storage-bench/engines"
  }
}
