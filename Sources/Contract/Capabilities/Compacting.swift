/// The capability to reclaim the space of deleted records.
public protocol Compacting {
  /// Shrinks the files of the open store, as safely as a commit. The disk needs space for a second copy of the store.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  func compact() throws
}
