/// The capability to reclaim the space of deleted records.
public protocol Compacting {
  /// Makes the store's files as small as the engine can, without changing the records. The store stays open.
  ///
  /// The call needs space for a second copy of the store. The new files are as safe from crashes and power cuts as a
  /// commit.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  func compact() throws
}
