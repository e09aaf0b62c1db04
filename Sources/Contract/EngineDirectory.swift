import Foundation

/// The directory that contains the database libraries downloaded by the command `scripts/install engines`.
package enum EngineDirectory {
  /// The environment variable with the path of the downloaded database libraries. The default is in the user's cache
  /// directory.
  package static let variable = "STORAGE_BENCH_ENGINES"

  package static var path: String {
    let variables = ProcessInfo.processInfo.environment
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    return value(variable)
      ?? (value("XDG_CACHE_HOME") ?? "\(value("HOME") ?? "/")/.cache") + "/storage-bench/engines"
  }
}
