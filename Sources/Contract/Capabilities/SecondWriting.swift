/// The capability to have a second writer in the same process: another context of an object graph, or another
/// connection to a database. The observed lists of the store notice the second writer's commits.
///
/// There is no emulation, because other engines do not notice the commits of another open store.
public protocol SecondWriting: StorageBackend {
  /// Returns the reason why a store with this durability and these options has no second writer, or nil if it has one.
  static func lackOfSecondWriter(_ durability: Durability, _ options: Options) -> String?

  /// Opens a second writer of the store in the environment, such as another connection. Close it before the store.
  ///
  /// - Throws: ``StoreError``.
  func openSecondWriter(_ environment: StoreEnvironment) throws -> any SecondWriter

  /// Returns whether the second writer has committed since the last call. Only the emulation of observed lists calls
  /// this method, because a native list learns of these commits from the engine. The default is false.
  ///
  /// - Throws: ``StoreError``.
  func hasNewCommits() throws -> Bool
}

extension SecondWriting {
  public func hasNewCommits() throws -> Bool { false }
}

/// A second writer of a store, such as another connection to the database. It is used on the same thread as the store.
public protocol SecondWriter: AnyObject {
  /// Applies changes as ``StorageBackend/commit(_:)`` does.
  ///
  /// - Throws: ``StoreError``.
  func commit(_ changes: [Change]) throws

  /// Closes the second writer. Call this method before the store is closed.
  ///
  /// - Throws: ``StoreError``.
  func close() throws
}
