import CStorageInstrument
import Foundation
import Testing

/// An entry of a log of calls, read only by its declaration in C, independently of the suite's own reader.
struct LogEntry {
  var header: ci_entry
  var name: String
  var otherName: String
  var data: [UInt8]

  /// Returns the entries of a log, which must end with a whole one.
  static func read(_ path: String) throws -> [LogEntry] {
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    var entries: [LogEntry] = []
    var offset = 0
    while offset < bytes.count {
      let size = MemoryLayout<ci_entry>.size
      try #require(offset + size <= bytes.count, "the log ends within an entry's header")
      let header = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: ci_entry.self) }
      let end = offset + Int(header.size)
      let name = offset + size
      let other = name + Int(header.name_length)
      let data = other + Int(header.other_name_length)
      try #require(data + Int(header.data_length) == end && end <= bytes.count, "an entry is not as long as it says")
      entries.append(
        LogEntry(
          header: header, name: String(decoding: bytes[name..<other], as: UTF8.self),
          otherName: String(decoding: bytes[other..<data], as: UTF8.self), data: Array(bytes[data..<end])))
      offset = end
    }
    return entries
  }

  /// The kinds of calls, in the order of their bits.
  private static let kinds = [
    "open", "create", "read", "write", "truncate", "allocate", "sync", "sync-directory", "sync-all", "rename", "link",
    "unlink", "make-directory", "remove-directory", "map", "sync-map", "acknowledge",
  ]

  var kind: String { Self.kinds[header.call.trailingZeroBitCount] }

  /// The call in one line: `write a 0+5 hello`, with its result if that is an error or a smaller number.
  var text: String {
    var words = [kind]
    if header.flags & UInt32(CI_ENTRY_SYNCHRONOUS) != 0 { words.append("synchronous") }
    if header.flags & UInt32(CI_ENTRY_TRUNCATES) != 0 { words.append("empty") }
    if header.flags & UInt32(CI_ENTRY_READS) != 0 { words.append("reading") }
    if header.flags & UInt32(CI_ENTRY_UNNAMED) != 0 { words.append("unnamed") }
    if !name.isEmpty { words.append(name) }
    if !otherName.isEmpty { words.append("-> \(otherName)") }
    switch kind {
    case "write", "read", "allocate", "map", "sync-map": words.append("\(header.offset)+\(header.length)")
    case "truncate": words.append("\(header.offset)")
    default: break
    }
    if !data.isEmpty { words.append(String(decoding: data, as: UTF8.self)) }
    if header.result < 0 {
      words.append("failed \(-header.result)")
    } else if ["write", "read"].contains(kind), header.result != header.length {
      words.append("did \(header.result)")
    }
    if header.flags & UInt32(CI_ENTRY_FAULT) != 0 { words.append("by plan") }
    return words.joined(separator: " ")
  }
}

extension CountedFiles {
  /// Watches the calls of a body, with a plan if there is one, and returns the log.
  func entries(reads: Bool = false, fault: ci_fault? = nil, _ body: () throws -> Void) throws -> [LogEntry] {
    let log = outside + "/log"
    _ = try counted(
      watch: {
        if var fault { ci_set_fault(&fault) }
        try #require(ci_watch(log, reads ? 1 : 0) == 0)
      }, body)
    ci_set_fault(nil)
    return try LogEntry.read(log)
  }

  /// Returns the log with each call in one line.
  func log(reads: Bool = false, fault: ci_fault? = nil, _ body: () throws -> Void) throws -> [String] {
    try entries(reads: reads, fault: fault, body).map(\.text)
  }

  /// Returns the bytes of a file in the store.
  func contents(_ name: String) -> [UInt8] {
    FileManager.default.contents(atPath: root + "/" + name).map { [UInt8]($0) } ?? []
  }

  /// Returns the text of a file in the store.
  func text(_ name: String) -> String { String(decoding: contents(name), as: UTF8.self) }
}
