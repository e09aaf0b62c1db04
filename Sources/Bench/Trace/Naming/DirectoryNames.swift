import StorageVerify

/// The explanation that `trace` prints for a sync of a store's directory, which makes the names of its files durable.
struct DirectoryNames: FileNaming {
  init?(_ file: String, in calls: ArraySlice<LoggedCall>) {
    guard calls.contains(where: { $0.name == file && $0.kind == .syncDirectory }) else { return nil }
  }

  mutating func meaning(of call: LoggedCall) -> String? {
    call.kind == .syncDirectory ? "names of files are on the disk" : nil
  }
}
