import StorageContract

/// The refusal of debug builds to measure times.
package enum DebugBuild {
  #if DEBUG
    /// Whether this build is a debug build, whose times are meaningless.
    package static let isThisBuild = true
  #else
    package static let isThisBuild = false
  #endif

  /// Throws `UsageError` if a debug build is not allowed to measure.
  ///
  /// - Parameters:
  ///   - isAllowed: Whether the user allows it, with `--allow-debug`.
  ///   - message: The text of the error.
  package static func refuse(
    unless isAllowed: Bool, isDebug: Bool = isThisBuild,
    _ message: String =
      "this is a debug build, whose times are meaningless; build with -c release, or give --allow-debug"
  ) throws {
    guard isAllowed || !isDebug else { throw UsageError(message) }
  }
}
