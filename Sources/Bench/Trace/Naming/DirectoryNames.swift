import StorageVerify

/// A type that explains the syncs of a store's directory in the output of the command `trace`. Such a sync makes the
/// names of the files durable.
struct DirectoryNames: FileNaming {
  init?(_ file: String, in calls: ArraySlice<LoggedCall>) {
    guard calls.contains(where: { $0.name == file && $0.kind == .syncDirectory }) else { return nil }
  }

  mutating func meaning(of call: LoggedCall) -> String? {
    call.kind == .syncDirectory ? "names of files are on the disk" : nil
  }
}
