import StorageContract

/// The whole file written anew, without the pages that deleting left, and put in place.
extension SQLiteQueueBackend: Compacting {
  func compact() throws {
    try queue.vacuum()
    // In WAL mode the file itself is written, and cut, by the checkpoint.
    try queue.settle()
  }
}
