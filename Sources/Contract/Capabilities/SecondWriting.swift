/// The capability to open a second writer of a store in the same process, such as another database connection.
public protocol SecondWriting: StorageBackend {
  /// Returns the reason why a store cannot have a second writer with this durability and these options, or nil if it
  /// can.
  static func lackOfSecondWriter(_ durability: Durability, _ options: Options) -> String?

  /// Opens a second writer of the store, such as another database connection. Close that writer before the store.
  ///
  /// - Throws: ``StoreError``.
  func openSecondWriter(_ environment: StoreEnvironment) throws -> any SecondWriter

  /// Returns whether the second writer has committed since the previous call. The default is false, for engines that
  /// notice such commits themselves.
  ///
  /// - Throws: ``StoreError``.
  func hasNewCommits() throws -> Bool
}

extension SecondWriting {
  public func hasNewCommits() throws -> Bool { false }
}

/// A second writer of a store, such as another database connection, used on the same thread as the store.
public protocol SecondWriter: AnyObject {
  /// Commits changes to the store through this second writer, as ``StorageBackend/commit(_:)`` does through the first.
  ///
  /// - Throws: ``StoreError``.
  func commit(_ changes: [Change]) throws

  /// Closes the second writer, such as another database connection. Call this method before the store is closed.
  ///
  /// - Throws: ``StoreError``.
  func close() throws
}
