import StorageContract

/// The check that refuses to measure times in a debug build.
package enum DebugBuild {
  #if DEBUG
    /// Whether this program is a debug build, whose times are meaningless.
    package static let isThisBuild = true
  #else
    package static let isThisBuild = false
  #endif

  /// Throws `UsageError` with the given message if the program is a debug build. Does not throw if `isAllowed` is true,
  /// which means that the user allows debug builds by the option `--allow-debug`.
  package static func refuse(
    unless isAllowed: Bool, isDebug: Bool = isThisBuild,
    _ message: String =
      "this is a debug build, whose times are meaningless; build with -c release, or give --allow-debug"
  ) throws {
    guard isAllowed || !isDebug else { throw UsageError(message) }
  }
}
