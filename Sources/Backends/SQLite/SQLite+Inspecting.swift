import StorageContract

/// What SQLite tells of its file.
extension SQLiteBackend: Inspecting {
  func layout() throws -> StoreLayout { try StoreLayout(sqlite: path) }
}
