import CStorageInstrument
import Foundation

/// A log of the system calls of a process on a store's files, in order. The log stays readable if the process is
/// killed.
public struct CallLog: Sendable {
  /// The entries of the log, in order: system calls, and marks after the opening of the store and after each save.
  public let calls: [LoggedCall]

  /// Reads a log of system calls from a file.
  ///
  /// - Parameters:
  ///   - path: The path of the log.
  ///   - mayBeCut: Whether the last entry may be incomplete, as after a kill of the process. Such an entry is ignored.
  /// - Throws: ``CallLogError`` if the file cannot be read or is not a complete log.
  public init(_ path: String, mayBeCut: Bool = false) throws {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CallLogError("\(path): the log of calls cannot be read")
    }
    try self.init(data, path: path, mayBeCut: mayBeCut)
  }

  init(_ data: Data, path: String, mayBeCut: Bool = false) throws {
    var calls: [LoggedCall] = []
    var rest = data
    func damaged() -> CallLogError {
      CallLogError("\(path): entry \(calls.count + 1) of the log of calls is incomplete")
    }
    while !rest.isEmpty {
      let isHeaderWhole = rest.count >= MemoryLayout<ci_entry>.size
      let header = isHeaderWhole ? rest.withUnsafeBytes { $0.loadUnaligned(as: ci_entry.self) } : nil
      guard let entry = header, entry.size <= UInt64(rest.count) else {
        if mayBeCut { break }
        throw damaged()
      }
      let lengths = [UInt64(entry.name_length), UInt64(entry.other_name_length), entry.data_length]
      let headerLength = UInt64(MemoryLayout<ci_entry>.size)
      guard lengths.allSatisfy({ $0 <= entry.size }), lengths.reduce(headerLength, +) == entry.size else {
        throw damaged()
      }
      var tail = rest.dropFirst(Int(headerLength))
      func take(_ count: UInt64) -> [UInt8] {
        defer { tail = tail.dropFirst(Int(count)) }
        return [UInt8](tail.prefix(Int(count)))
      }
      let name = String(decoding: take(lengths[0]), as: UTF8.self)
      let otherName = String(decoding: take(lengths[1]), as: UTF8.self)
      guard let call = LoggedCall(entry, name: name, otherName: otherName, data: take(lengths[2])) else {
        throw damaged()
      }
      calls.append(call)
      rest = rest.dropFirst(Int(entry.size))
    }
    self.calls = calls
  }

  init(calls: [LoggedCall]) { self.calls = calls }

  /// The system calls, grouped by the work that made them: the opening of the store, each save, and the work after the
  /// last save.
  public var steps: [ArraySlice<LoggedCall>] {
    calls.split(omittingEmptySubsequences: false) { $0.kind == .acknowledge }
  }
}

/// An error that is thrown if a log of system calls cannot be written or read, or is incomplete.
public struct CallLogError: Error, Sendable, CustomStringConvertible {
  /// The message of the error, such as `calls.log: the log of calls cannot be read`.
  public let description: String

  /// Creates an error with this message.
  public init(_ description: String) { self.description = description }
}
