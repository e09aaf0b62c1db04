import StorageVerify

extension FileNamings {
  static func directory(_ file: String, _ calls: [LoggedCall]) -> FileNaming? {
    guard calls.contains(where: { $0.name == file && $0.kind == .syncDirectory }) else { return nil }
    return { $0.kind == .syncDirectory ? "names of files are on the disk" : nil }
  }

  /// Explains a save that writes a new file and then renames it to replace the old file.
  static func replacingFile(_ file: String, _ calls: [LoggedCall]) -> FileNaming? {
    guard let rename = calls.first(where: { $0.kind == .rename && $0.name == file && !$0.failed }) else { return nil }
    return { call in
      switch call.kind {
      case .create: "a temporary file"
      case .open where call.truncates: "a temporary file, emptied"
      case .write: "the store, written anew"
      case .sync: "the new content is on the disk"
      case .rename where rename.replaced != 0: "the commit: takes the place of the old file"
      case .rename: "the commit: the file has its name"
      default: nil
      }
    }
  }

  /// Explains a save that empties the old file and then writes the new content into it.
  static func rewrittenFile(_ file: String, _ calls: [LoggedCall]) -> FileNaming? {
    func empties(_ call: LoggedCall) -> Bool { call.truncates || call.kind == .truncate && call.offset == 0 }
    let own = calls.filter { $0.name == file && !$0.failed }
    guard let start = own.firstIndex(where: empties), own[start...].contains(where: { $0.kind == .write }) else {
      return nil
    }
    return { call in
      switch call.kind {
      case _ where empties(call): "emptied in place: a crash from here on loses all"
      case .read: "reads everything"
      case .write: "the store, written anew"
      case .sync: "the new content is on the disk"
      default: nil
      }
    }
  }
}
