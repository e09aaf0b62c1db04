import StorageContract

extension SQLiteBackend: Inspecting {
  func layout() throws -> StoreLayout { try StoreLayout(sqlite: path) }
}
