import Foundation
import Testing

@testable import StorageVerify

@Suite struct ReplayTests {
  private static func files(_ calls: [LoggedCall]) throws -> [String: String] {
    var files = ReplayedFiles()
    for call in calls { try files.apply(call) }
    return files.files.mapValues { String(decoding: $0, as: UTF8.self) }
  }

  @Test func writesGoWhereTheyWent() throws {
    let calls = [
      call(.create), call(.write, offset: 0, "abcdef"), call(.write, offset: 2, "XY"),
      call(.write, offset: 8, "Z"), call(.truncate, offset: 9),
    ]
    #expect(try Self.files(calls) == ["a": "abXYef\0\0Z"])
    #expect(try Self.files(calls + [call(.open, truncates: true)]) == ["a": ""])
    #expect(try Self.files(calls + [call(.truncate, offset: 1)]) == ["a": "a"])
    #expect(try Self.files(calls + [call(.allocate, offset: 8, length: 2)]) == ["a": "abXYef\0\0Z\0"])
  }

  @Test func namesFollowTheirFiles() throws {
    let both = [
      call(.create), call(.write, "a", "old"), call(.create, "b", file: 2),
      call(.write, "b", file: 2, "new"),
    ]
    #expect(try Self.files(both + [call(.rename, "b", to: "a", file: 2)]) == ["a": "new"])
    #expect(try Self.files(both + [call(.rename, "b", to: "a", file: 2, offset: 2)]) == ["a": "new", "b": "old"])
    #expect(try Self.files(both + [call(.unlink)]) == ["b": "new"])
    #expect(try Self.files(both + [call(.link, to: "c")]) == ["a": "old", "b": "new", "c": "old"])
    let moved = [
      call(.makeDirectory, "d", file: 3), call(.create, "d/x", file: 4),
      call(.rename, "d", to: "e", file: 3),
    ]
    #expect(try Self.files(moved) == ["e/x": ""])
  }

  /// Failed calls change nothing, except for the bytes of a write that are in the log.
  @Test func failuresChangeNothing() throws {
    let calls = [
      call(.create), call(.write, result: -28, "half"), call(.truncate, offset: 0, result: -5),
      call(.unlink, result: -5), call(.create, "b", file: 2, result: -28),
    ]
    #expect(try Self.files(calls) == ["a": "half"])
  }

  @Test func aWriteToAnUnknownFileIsRefused() {
    #expect(throws: CallLogError.self) { try Self.files([call(.write, "a", "x")]) }
  }

  @Test func differencesAreFound() throws {
    let directory = NSTemporaryDirectory() + "/replay-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var files = ReplayedFiles()
    for call in [call(.create), call(.write, "a", "abc")] { try files.apply(call) }
    #expect(try files.differences(from: directory) == ["a was made and is not there"])
    try files.write(to: directory)
    #expect(try files.differences(from: directory) == [])
    var read = try ReplayedFiles(readingFrom: directory)
    #expect(read.files == files.files)
    // Files that are read from a directory have the numbers that calls use.
    let number = try #require(read.names["a"])
    try read.apply(call(.write, file: number, offset: 1, "X"))
    #expect(try read.differences(from: directory) == ["a has 3 bytes, after the calls 3, and differs from byte 1 on"])
    // A file with a writable mapping may have any content, but must exist.
    try read.apply(call(.map, file: number))
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
