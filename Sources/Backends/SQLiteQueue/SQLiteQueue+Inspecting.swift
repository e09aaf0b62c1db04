import StorageContract

/// The layout from SQLite's own figures about its file.
extension SQLiteQueueBackend: Inspecting {
  func layout() throws -> StoreLayout { try StoreLayout(sqlite: queue.path) }
}
