/// The capability to copy an open store into another directory. An app without this capability closes the store and
/// copies its files.
public protocol BackingUp {
  /// Whether the engine copies in steps. Between two steps, changes may be committed to the store.
  static var copiesInSteps: Bool { get }

  /// Returns the reason why a store with the given options cannot be copied without free pages, or nil if it can.
  static func obstacleToCompactCopies(_ options: Options) -> String?

  /// Copies one committed state of the store into an empty directory, where the same backend can open the copy.
  ///
  /// - Parameters:
  ///   - isCompact: Whether the copy has no free pages.
  ///   - saves: A closure that is called between steps and may commit; nil to copy in one step.
  /// - Throws: ``StoreError``, and the error of `saves`. The copy is then useless.
  func backUp(to directory: String, isCompact: Bool, between saves: (() throws -> Void)?) throws
}

extension BackingUp {
  public static var copiesInSteps: Bool { false }
  public static func obstacleToCompactCopies(_ options: Options) -> String? { nil }
}
