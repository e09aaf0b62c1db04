/// The capability to reclaim the space of deleted records.
public protocol Compacting {
  /// Makes the store's files as small as the engine can. The records do not change, and the store stays open.
  ///
  /// Needs space for a second copy while it runs. When it returns, the result is as safe as a commit.
  ///
  /// - Throws: ``StoreError``; the store then holds what it held before.
  func compact() throws
}
