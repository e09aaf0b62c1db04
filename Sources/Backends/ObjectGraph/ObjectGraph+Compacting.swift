import StorageContract

/// Core Data's way: the store is opened with the wish to vacuum it.
extension ObjectGraphBackend: Compacting {
  func compact() throws { try StoreError.translating { try graph.vacuum() } }
}
