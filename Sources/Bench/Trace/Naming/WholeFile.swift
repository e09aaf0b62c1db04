import StorageVerify

/// The explanations in `trace` for a save that writes a new file and then renames it to replace the old file.
struct ReplacingFile: FileNaming {
  private let target: String
  private let replaces: Bool

  init?(_ file: String, in calls: ArraySlice<LoggedCall>) {
    guard let rename = calls.first(where: { $0.kind == .rename && $0.name == file && !$0.failed }) else { return nil }
    target = rename.otherName
    replaces = rename.replaced != 0
  }

  mutating func meaning(of call: LoggedCall) -> String? {
    switch call.kind {
    case .create: "a temporary file"
    case .open where call.truncates: "a temporary file, emptied"
    case .write: "the store, written anew"
    case .sync: "the new content is on the disk"
    case .rename: replaces ? "the commit: takes the place of the old file" : "the commit: the file has its name"
    default: nil
    }
  }
}

/// The explanations in `trace` for a save that empties the old file and then writes the new content into it.
struct RewrittenFile: FileNaming {
  init?(_ file: String, in calls: ArraySlice<LoggedCall>) {
    let own = calls.filter { $0.name == file && !$0.failed }
    guard let start = own.firstIndex(where: Self.empties), own[start...].contains(where: { $0.kind == .write }) else {
      return nil
    }
  }

  private static func empties(_ call: LoggedCall) -> Bool {
    call.truncates || (call.kind == .truncate && call.offset == 0)
  }

  mutating func meaning(of call: LoggedCall) -> String? {
    if Self.empties(call) { return "emptied in place: a crash from here on loses all" }
    switch call.kind {
    case .read: return "reads everything"
    case .write: return "the store, written anew"
    case .sync: return "the new content is on the disk"
    default: return nil
    }
  }
}
