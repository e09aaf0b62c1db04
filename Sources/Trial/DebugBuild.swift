import StorageContract

/// The check that refuses to measure times in a debug build.
package enum DebugBuild {
  #if DEBUG
    /// Whether this program is a debug build, whose times are meaningless.
    package static let isThisBuild = true
  #else
    package static let isThisBuild = false
  #endif

  /// Throws `UsageError` with the given message in a debug build, unless `isAllowed` (the option `--allow-debug`) is
  /// true.
  package static func refuse(
    unless isAllowed: Bool, isDebug: Bool = isThisBuild,
    _ message: String =
      "this is a debug build, whose times are meaningless; build with -c release, or give --allow-debug"
  ) throws {
    guard isAllowed || !isDebug else { throw UsageError(message) }
  }
}
