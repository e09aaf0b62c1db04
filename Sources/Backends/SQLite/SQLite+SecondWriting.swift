import StorageContract

/// A second connection in the same process, for another writer. The first connection notices the second's commits by
/// `PRAGMA data_version`.
extension SQLiteBackend: SecondWriting, SecondWriter {
  static func lackOfSecondWriter(_ durability: Durability, _ options: Options) -> String? {
    options[connection] == "kept"
      ? nil : "a connection that is opened for each operation cannot notice others; leave out connection=per-operation"
  }

  func openSecondWriter(_ environment: StoreEnvironment) throws -> any SecondWriter {
    seenVersion = try dataVersion()
    return try SQLiteBackend(opening: environment)
  }

  func hasNewCommits() throws -> Bool {
    guard let old = seenVersion else { return false }
    seenVersion = try dataVersion()
    return seenVersion != old
  }

  private func dataVersion() throws -> Int64? { try row("PRAGMA data_version")?.first }
}
