import StorageVerify

/// The explanations that `trace` prints for syncs of a directory. Such a sync makes the names of files durable.
struct DirectoryNames: FileNaming {
  init?(_ file: String, in calls: ArraySlice<LoggedCall>) {
    guard calls.contains(where: { $0.name == file && $0.kind == .syncDirectory }) else { return nil }
  }

  mutating func meaning(of call: LoggedCall) -> String? {
    call.kind == .syncDirectory ? "names of files are on the disk" : nil
  }
}
