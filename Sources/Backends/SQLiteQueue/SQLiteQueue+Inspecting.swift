import StorageContract

/// What SQLite tells of its file.
extension SQLiteQueueBackend: Inspecting {
  func layout() throws -> StoreLayout { try StoreLayout(sqlite: queue.path) }
}
