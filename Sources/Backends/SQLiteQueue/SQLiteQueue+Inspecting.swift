import StorageContract

extension SQLiteQueueBackend: Inspecting {
  func layout() throws -> StoreLayout { try StoreLayout(sqlite: queue.path) }
}
