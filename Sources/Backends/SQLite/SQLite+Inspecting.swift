import StorageContract

/// The layout from SQLite's own figures about its file.
extension SQLiteBackend: Inspecting {
  func layout() throws -> StoreLayout { try StoreLayout(sqlite: path) }
}
