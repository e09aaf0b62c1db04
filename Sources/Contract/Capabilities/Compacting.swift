/// The capability to reclaim the space of deleted records.
public protocol Compacting {
  /// Makes the store's files as small as the engine can. The records do not change, and the store stays open.
  ///
  /// The call needs space for a second copy of the store. When the call returns, the new files survive the same crashes
  /// and power cuts as a commit.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  func compact() throws
}
