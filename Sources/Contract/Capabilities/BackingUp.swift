/// The capability to copy a store into another directory while the store is open.
public protocol BackingUp {
  /// Whether the engine copies a store in several steps. Changes to the store may be committed between two steps.
  static var copiesInSteps: Bool { get }

  /// Returns the reason why a copy of a store with the given options cannot omit unused pages, or nil if it can.
  static func obstacleToCompactCopies(_ options: Options) -> String?

  /// Copies a committed state of the store into an empty directory. The same backend can open the copy.
  ///
  /// - Parameters:
  ///   - isCompact: Whether the copy omits unused pages.
  ///   - saves: Called between two steps of copying, and may commit changes; nil to copy in one step.
  /// - Throws: ``StoreError``, and the errors of `saves`. The copy is then useless.
  func backUp(to directory: String, isCompact: Bool, between saves: (() throws -> Void)?) throws
}

extension BackingUp {
  public static var copiesInSteps: Bool { false }
  public static func obstacleToCompactCopies(_ options: Options) -> String? { nil }
}
