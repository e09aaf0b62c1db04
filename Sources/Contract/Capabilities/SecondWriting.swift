/// The capability to open a second writer of a store in the same process, such as another database connection.
///
/// The lists that ``Observing`` keeps up to date also show the commits of the second writer. No emulation exists,
/// because other engines do not notice the commits of another open store.
public protocol SecondWriting: StorageBackend {
  /// Returns the reason why a store cannot have a second writer with this durability and these options, or nil if it
  /// can.
  static func lackOfSecondWriter(_ durability: Durability, _ options: Options) -> String?

  /// Opens a second writer of the store, such as another connection to the database. Close the second writer before the
  /// store.
  ///
  /// - Throws: ``StoreError``.
  func openSecondWriter(_ environment: StoreEnvironment) throws -> any SecondWriter

  /// Returns whether the store's second writer has committed since the previous call.
  ///
  /// If so, the records of observed lists must be queried again. The default is false, for engines that notice such
  /// commits themselves.
  ///
  /// - Throws: ``StoreError``.
  func hasNewCommits() throws -> Bool
}

extension SecondWriting {
  public func hasNewCommits() throws -> Bool { false }
}

/// A second writer of a store, such as another connection to the database. It is used on the same thread as the store.
public protocol SecondWriter: AnyObject {
  /// Commits changes through this second writer, such as another connection to the database beside the open store. The
  /// call has the same effect as ``StorageBackend/commit(_:)`` on the open store.
  ///
  /// - Throws: ``StoreError``.
  func commit(_ changes: [Change]) throws

  /// Closes the second writer, such as another connection to the database. Call this method before the store is closed.
  ///
  /// - Throws: ``StoreError``.
  func close() throws
}
