import CStorageInstrument
import Foundation
import Testing

/// Compares the log of calls with the output of strace, entry by entry, for the work of real engines.
@Suite struct StraceTests {
  private static let strace = "/usr/bin/strace"

  /// Whether system calls can be traced on this machine.
  private static let canTrace: Bool = {
    guard let process = try? Process.run(URL(fileURLWithPath: strace), arguments: ["-o", "/dev/null", "true"]) else {
      return false
    }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test(
    .enabled(if: canTrace, "strace cannot be used here"),
    arguments: [
      "plist", "plist:atomic=no", "archive", "defaults", "sqlite", "sqlite:journal=delete", "sqlite:journal=wal",
      "sqlite-queue", "object-graph", "object-graph:store=xml", "lmdb", "lmdb:writemap=yes",
    ])
  func theLogHasWhatTheKernelWasAsked(_ backend: String) throws {
    let files = try CountedFiles()
    // The path as the kernel has it, because strace prints it for descriptors.
    let root = URL(fileURLWithPath: files.root).resolvingSymlinksInPath().path
    let (trace, log) = (files.outside + "/trace", files.outside + "/log")
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("test-child").path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.strace)
    process.arguments = [
      "-f", "-y", "-s", "0", "-o", trace, "-e", "trace=" + StraceCall.kinds.keys.joined(separator: ","), "--", program,
      "watched-work", backend, root, log,
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["XDG_CONFIG_HOME": root, "TMPDIR": files.outside, "CFFIXED_USER_HOME": files.outside]
    ) { $1 }
    try process.run()
    process.waitUntilExit()
    // Exit code 1 means that the kernel has seen more than was counted.
    #expect(process.terminationStatus == 0)
    let seen = try StraceCall.read(trace, below: root)
    let logged = try LogEntry.read(log)
    #expect(logged.count > 20)
    for (call, entry) in zip(seen, logged) where !call.equals(entry) {
      Issue.record("strace: \(call.line)\nthe log: \(entry.text) = \(entry.header.result)")
      return
    }
    #expect(seen.count == logged.count, "the one that has more goes on after \(min(seen.count, logged.count)) calls")
  }
}

/// A call as strace prints it.
private struct StraceCall {
  var line: String
  var kind: String
  var names: [String]
  var length: UInt64?
  var offset: UInt64?
  /// The result; nil if it is an address.
  var result: Int64?

  /// The kinds in the log of the calls that are traced.
  static let kinds = [
    "open": "open", "openat": "open", "creat": "open", "read": "read", "pread64": "read", "readv": "read",
    "preadv": "read", "write": "write", "pwrite64": "write", "writev": "write", "pwritev": "write",
    "sendfile": "sendfile", "copy_file_range": "copy_file_range", "truncate": "truncate", "ftruncate": "truncate",
    "fallocate": "allocate", "fsync": "sync", "fdatasync": "sync", "syncfs": "sync-all", "sync": "sync",
    "rename": "rename", "renameat": "rename", "renameat2": "rename", "link": "link", "linkat": "link",
    "unlink": "unlink", "unlinkat": "unlink", "mkdir": "make-directory", "mkdirat": "make-directory",
    "rmdir": "remove-directory", "mmap": "map", "msync": "sync-map",
  ]

  /// Returns the calls of a trace on files below a directory, if the log records calls of their kind.
  static func read(_ path: String, below root: String) throws -> [StraceCall] {
    var unfinished: [Substring: Substring] = [:]
    return try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8).split(separator: "\n").compactMap {
      // With -f, each line begins with the thread, and a call of another thread may split a call into two lines.
      guard let start = $0.firstMatch(of: /^(\d+) +(.*)$/) else { return nil }
      let thread = start.output.1
      var line = start.output.2
      if let cut = line.firstMatch(of: /^(.*) <unfinished \.\.\.>$/) {
        unfinished[thread] = cut.output.1
        return nil
      }
      if let rest = line.firstMatch(of: /^<\.\.\. \w+ resumed>(.*)$/), let first = unfinished[thread] {
        line = Substring(first + rest.output.1)
      }
      return StraceCall(String(line), below: root)
    }
  }

  private init?(_ line: String, below root: String) {
    guard let call = line.firstMatch(of: /^(\w+)\((.*)\) += +(-?\d+|0x[0-9a-f]+|\?)/) else { return nil }
    let (name, arguments) = (String(call.output.1), String(call.output.2))
    self.line = line
    kind = Self.kinds[name] ?? name
    result = Int64(call.output.3)
    if let error = line.firstMatch(of: /= -1 (E[A-Z0-9]+)/) { result = Self.errors[String(error.output.1)].map { -$0 } }
    // Names in quotation marks, and those of descriptors.
    names = arguments.matches(of: /"(\/[^"]*)"|\d<(\/[^>]*)>/).compactMap { match in
      let path = String(match.output.1 ?? match.output.2 ?? "").replacing(" (deleted)", with: "")
      guard path == root || path.hasPrefix(root + "/") else { return nil }
      return String(path.dropFirst(root.count + 1))
    }
    let numbers = arguments.split(separator: ", ").map { UInt64($0) }
    // The lengths are not always printed. The result is, and has the same value.
    let lengths = arguments.matches(of: /iov_len=(\d+)/).compactMap { UInt64($0.output.1) }
    let parts = lengths.isEmpty ? nil : lengths.reduce(0, +)
    switch name {
    case "open", "openat", "creat":
      // Directories are opened to be synced or listed, and are not in the log.
      var isDirectory: ObjCBool = false
      let path = root + "/" + (names.last ?? "")
      if arguments.contains("O_DIRECTORY") { return nil }
      if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue { return nil }
    case "read", "write": length = numbers.last ?? nil
    case "pread64", "pwrite64": (length, offset) = (numbers.dropLast().last ?? nil, numbers.last ?? nil)
    case "readv", "writev": length = parts
    case "preadv", "pwritev": (length, offset) = (parts, numbers.last ?? nil)
    case "truncate", "ftruncate": offset = numbers.last ?? nil
    case "fallocate": (offset, length) = (numbers.dropLast().last ?? nil, numbers.last ?? nil)
    case "fsync", "fdatasync": if names == [""] { kind = "sync-directory" }
    case "unlinkat": if arguments.contains("AT_REMOVEDIR") { kind = "remove-directory" }
    case "mmap":
      guard arguments.contains("MAP_SHARED"), arguments.contains("PROT_WRITE") else { return nil }
      length = numbers.dropFirst().first ?? nil
      result = 0
    case "msync":
      // The call names no file.
      guard arguments.hasSuffix("MS_SYNC") else { return nil }
      length = numbers.dropFirst().first ?? nil
      names = [""]
    default: break
    }
    if names.isEmpty { return nil }
  }

  /// Whether an entry of the log is this call, as far as strace prints it.
  func equals(_ entry: LogEntry) -> Bool {
    let entryKind = entry.kind == "create" ? "open" : entry.kind
    let entryNames = [entry.name] + (entry.otherName.isEmpty ? [] : [entry.otherName])
    return kind == entryKind && names == entryNames && result == entry.header.result
      && (length ?? entry.header.length) == entry.header.length
      && (offset ?? entry.header.offset) == entry.header.offset
  }

  private static let errors: [String: Int64] = [
    "ENOENT": Int64(ENOENT), "EEXIST": Int64(EEXIST), "EISDIR": Int64(EISDIR), "EINVAL": Int64(EINVAL),
    "EOPNOTSUPP": Int64(EOPNOTSUPP), "EACCES": Int64(EACCES),
  ]
}
