/// The capability to give back the space of deleted records.
public protocol Compacting {
  /// Makes the store's files as small as the engine can; the records stay as they are, and the store stays open.
  ///
  /// It needs room for a second copy while it runs. When it returns, the result is as safe as a commit.
  ///
  /// - Throws: ``StoreError``; the store then holds what it held before.
  func compact() throws
}
