import StorageVerify

/// The system calls that one operation made on the files of its store, each with an explanation.
struct TracedOperation {
  let lines: [TraceReport.Line]

  /// Selects and explains the system calls of one operation.
  ///
  /// - Parameters:
  ///   - calls: The recorded system calls on all files in the parent directory of the store's directory.
  ///   - span: The start and end of the operation, by the same clock as the system calls.
  ///   - store: The name of the store's directory.
  init(_ calls: [LoggedCall], span: ClosedRange<Int64>, store: String) {
    // The log also contains marks that only separate calls. They are dropped.
    let own = calls.filter {
      span.contains($0.began) && $0.ended <= span.upperBound && ($0.kind != .acknowledge || $0.acknowledges)
    }.map { call -> LoggedCall in
      var call = call
      // A sync of a memory mapping has no file name, but it has the number of the file.
      if call.kind == .syncMap, call.file != 0 {
        call.name = calls.last { $0.file == call.file && !$0.name.isEmpty }?.name ?? ""
      }
      call.name = Self.name(call.name, store)
      if call.kind == .rename || call.kind == .link { call.otherName = Self.name(call.otherName, store) }
      return call
    }
    var namings: [String: (any FileNaming)?] = [:]
    lines = own.map { call in
      var naming = namings[call.name] ?? FileNamings.naming(of: call.name, in: own[...])
      let meaning = naming?.meaning(of: call)
      namings[call.name] = .some(naming)
      let isPassing = own.contains { $0.kind == .rename && $0.name == call.name }
      return TraceReport.Line(call, meaning: meaning, isPassing: isPassing)
    }
  }

  private static func name(_ name: String, _ store: String) -> String {
    if name == store { return "" }
    return name.hasPrefix(store + "/") ? String(name.dropFirst(store.count + 1)) : "../" + name
  }

  /// The operation's system calls as text, without numbers such as sizes. Repeated operations have equal texts.
  var shape: [String] { lines.map(\.shape) }
}

extension TraceReport.Line {
  /// Creates the line of a system call in the output of `trace`.
  ///
  /// - Parameter isPassing: Whether the file's name is temporary, because the operation later renames the file.
  init(_ call: LoggedCall, meaning: String?, isPassing: Bool) {
    let file = call.name.isEmpty ? TraceReport.directory : call.name
    let moves = call.kind == .rename || call.kind == .link
    let moved: Int? = call.kind == .write || call.kind == .read ? Int(max(0, call.result)) : nil
    var told = meaning
    if call.kind == .acknowledge { told = "a save has been acknowledged" }
    if call.failed { told = [told, "failed: error \(-call.result)"].compactMap { $0 }.joined(separator: "; ") }
    self.init(
      call: Self.word(for: call), file: call.kind == .acknowledge || call.kind == .syncAll ? "" : file,
      target: moves ? (call.otherName.isEmpty ? TraceReport.directory : call.otherName) : nil, bytes: moved,
      duration: call.kind == .acknowledge ? nil : call.ended - call.began, meaning: told ?? "",
      isWrite: call.kind == .write, isSync: call.isSync, isPassing: isPassing)
  }

  private static func word(for call: LoggedCall) -> String {
    switch call.kind {
    case .open: call.truncates ? "open, emptying" : "open"
    case .write where call.isSynchronous: "write, syncing"
    case .syncDirectory: "sync directory"
    case .syncAll: "sync all"
    case .syncMap: "sync mapping"
    case .makeDirectory: "make directory"
    case .removeDirectory: "remove directory"
    case .acknowledge: "(acknowledged)"
    default: call.kind.rawValue
    }
  }
}
