import Foundation
import Testing

@testable import StorageVerify

@Suite struct ReplayTests {
  private static func call(
    _ kind: LoggedCall.Kind, _ name: String = "a", to otherName: String = "", file: UInt64 = 1, offset: UInt64 = 0,
    length: UInt64 = 0, result: Int64 = 0, truncates: Bool = false, data: String = ""
  ) -> LoggedCall {
    LoggedCall(
      kind: kind, name: name, otherName: otherName, file: file, replaced: 0, offset: offset, length: length,
      result: result, isSynchronous: false, truncates: truncates, isFault: false, began: 0,
      ended: 0, data: Array(data.utf8))
  }

  private static func files(_ calls: [LoggedCall]) throws -> [String: String] {
    var files = ReplayedFiles()
    for call in calls { try files.apply(call) }
    return files.files.mapValues { String(decoding: $0, as: UTF8.self) }
  }

  @Test func writesGoWhereTheyWent() throws {
    let calls = [
      Self.call(.create), Self.call(.write, offset: 0, data: "abcdef"), Self.call(.write, offset: 2, data: "XY"),
      Self.call(.write, offset: 8, data: "Z"), Self.call(.truncate, offset: 9),
    ]
    #expect(try Self.files(calls) == ["a": "abXYef\0\0Z"])
    #expect(try Self.files(calls + [Self.call(.open, truncates: true)]) == ["a": ""])
    #expect(try Self.files(calls + [Self.call(.truncate, offset: 1)]) == ["a": "a"])
    #expect(try Self.files(calls + [Self.call(.allocate, offset: 8, length: 2)]) == ["a": "abXYef\0\0Z\0"])
  }

  @Test func namesFollowTheirFiles() throws {
    let both = [
      Self.call(.create), Self.call(.write, data: "old"), Self.call(.create, "b", file: 2),
      Self.call(.write, "b", file: 2, data: "new"),
    ]
    #expect(try Self.files(both + [Self.call(.rename, "b", to: "a", file: 2)]) == ["a": "new"])
    #expect(try Self.files(both + [Self.call(.rename, "b", to: "a", file: 2, offset: 2)]) == ["a": "new", "b": "old"])
    #expect(try Self.files(both + [Self.call(.unlink)]) == ["b": "new"])
    #expect(try Self.files(both + [Self.call(.link, to: "c")]) == ["a": "old", "b": "new", "c": "old"])
    let moved = [
      Self.call(.makeDirectory, "d", file: 3), Self.call(.create, "d/x", file: 4),
      Self.call(.rename, "d", to: "e", file: 3),
    ]
    #expect(try Self.files(moved) == ["e/x": ""])
  }

  /// Failed calls change nothing, except for the bytes of a write that are in the log.
  @Test func failuresChangeNothing() throws {
    let calls = [
      Self.call(.create), Self.call(.write, result: -28, data: "half"), Self.call(.truncate, offset: 0, result: -5),
      Self.call(.unlink, result: -5), Self.call(.create, "b", file: 2, result: -28),
    ]
    #expect(try Self.files(calls) == ["a": "half"])
  }

  @Test func aWriteToAnUnknownFileIsRefused() {
    #expect(throws: CallLogError.self) { try Self.files([Self.call(.write, data: "x")]) }
  }

  @Test func differencesAreFound() throws {
    let directory = NSTemporaryDirectory() + "/replay-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var files = ReplayedFiles()
    for call in [Self.call(.create), Self.call(.write, data: "abc")] { try files.apply(call) }
    #expect(try files.differences(from: directory) == ["a was made and is not there"])
    try files.write(to: directory)
    #expect(try files.differences(from: directory) == [])
    var read = try ReplayedFiles(readingFrom: directory)
    #expect(read.files == files.files)
    // Files that are read from a directory have the numbers that calls use.
    let number = try #require(read.names["a"])
    try read.apply(Self.call(.write, file: number, offset: 1, data: "X"))
    #expect(try read.differences(from: directory) == ["a has 3 bytes, after the calls 3, and differs from byte 1 on"])
    // A file with a writable mapping may have any content, but must exist.
    try read.apply(Self.call(.map, file: number))
    #expect(try read.differences(from: directory) == [])
    try Data("?".utf8).write(to: URL(fileURLWithPath: directory + "/b"))
    #expect(try files.differences(from: directory) == ["b is there and in no call"])
  }

  @Test func aLogThatIsNotWholeIsRefused() throws {
    let path = NSTemporaryDirectory() + "/log-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: CallLogError.self) { try CallLog(path) }
    for bytes in [Data("half an entry".utf8), Data(repeating: 0xff, count: 400)] {
      try bytes.write(to: URL(fileURLWithPath: path))
      #expect(throws: CallLogError.self) { try CallLog(path) }
      // The log of a killed process may be truncated. Only the entries before its end are read.
      #expect(try CallLog(path, mayBeCut: true).calls.isEmpty)
    }
  }
}
