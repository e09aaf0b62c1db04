import StorageContract
import StorageVerify

extension TraceReport {
  /// A line of the report: a system call, or the moment at which the engine acknowledged a save.
  struct Line {
    /// The name of the system call, such as `write` or `sync`.
    var call: String
    var file: String
    /// The new name of a file that is renamed or linked; nil for other calls.
    var target: String?
    /// The number of bytes written or read; nil for calls that transfer none.
    var bytes: Int?
    /// The nanoseconds that the system call took; nil if the line is the acknowledgment of a save.
    var duration: Int64?
    /// The purpose of the system call in a few words, such as `log header`; may be empty.
    var meaning = ""
    var isWrite = false
    var isSync = false
    /// Whether the call works on a temporary file, whose name differs in every operation.
    var isPassing = false

    /// The call without numbers and names of temporary files, which vary. Repetitions have equal shapes.
    var shape: String { "\(call) \(isPassing ? "" : file) \(target ?? "") \(meaning.filter { !$0.isNumber })" }

    /// The system call as text: `write store.sqlite-wal (log header)`.
    var phrase: String {
      let what = isPassing ? "a temporary file" : file == TraceReport.directory ? "" : file
      return [call, what, meaning.isEmpty || isPassing ? "" : "(\(meaning))"].filter { !$0.isEmpty }
        .joined(separator: " ")
    }

    var fields: [String] {
      [
        call, target.map { "\(file) -> \($0)" } ?? file, bytes.map(Quantity.grouped) ?? "",
        duration.map(TraceReport.microseconds) ?? "", meaning,
      ]
    }
  }

  /// Selects and explains the system calls of one operation, which lasted for `span`, on the files of its store.
  /// `calls` are those on all files in the parent directory of `store`.
  static func lines(of calls: [LoggedCall], span: ClosedRange<Int64>, store: String) -> [Line] {
    // The log also contains marks that only separate calls. They are dropped.
    let own = calls.filter {
      span.contains($0.began) && $0.ended <= span.upperBound && ($0.kind != .acknowledge || $0.acknowledges)
    }.map { call -> LoggedCall in
      var call = call
      // A sync of a memory mapping has no file name, but it has the number of the file.
      if call.kind == .syncMap, call.file != 0 {
        call.name = calls.last { $0.file == call.file && !$0.name.isEmpty }?.name ?? ""
      }
      call.name = name(call.name, store)
      if call.kind == .rename || call.kind == .link { call.otherName = name(call.otherName, store) }
      return call
    }
    var namings: [String: FileNaming?] = [:]
    return own.map { call in
      let naming = namings[call.name] ?? FileNamings.naming(of: call.name, in: own)
      namings[call.name] = .some(naming)
      let isPassing = own.contains { $0.kind == .rename && $0.name == call.name }
      return Line(call, meaning: naming?(call), isPassing: isPassing)
    }
  }

  private static func name(_ name: String, _ store: String) -> String {
    if name == store { return directory }
    return name.hasPrefix(store + "/") ? String(name.dropFirst(store.count + 1)) : "../" + name
  }
}

extension TraceReport.Line {
  fileprivate init(_ call: LoggedCall, meaning: String?, isPassing: Bool) {
    let isSave = call.kind == .acknowledge
    let failure = call.failed ? "failed: error \(-call.result)" : nil
    self.init(
      call: Self.word(for: call), file: isSave || call.kind == .syncAll ? "" : call.name,
      target: call.otherName.isEmpty ? nil : call.otherName,
      bytes: call.kind == .write || call.kind == .read ? Int(max(0, call.result)) : nil,
      duration: isSave ? nil : call.ended - call.began,
      meaning: [isSave ? "a save has been acknowledged" : meaning, failure].compactMap(\.self).joined(separator: "; "),
      isWrite: call.kind == .write, isSync: call.isSync, isPassing: isPassing)
  }

  private static func word(for call: LoggedCall) -> String {
    switch call.kind {
    case .open where call.truncates: "open, emptying"
    case .write where call.isSynchronous: "write, syncing"
    case .syncMap: "sync mapping"
    case .acknowledge: "(acknowledged)"
    default: call.kind.rawValue.replacing("-", with: " ")
    }
  }
}
