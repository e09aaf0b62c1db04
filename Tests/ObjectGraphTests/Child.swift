import Foundation
import GRDBSQLite
import Testing

/// A task of `test-child`, running as another process.
final class Child {
  private let process = Process()
  private let pipe = Pipe()

  /// Starts it, or a tracer with its path and arguments behind those of the tracer.
  init(_ task: String, _ arguments: [String], under tracer: [String] = []) throws {
    // The built products lie where the running test bundle does.
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("test-child")
    let words = tracer + [program.path, task] + arguments
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    try process.run()
  }

  /// The next line that it prints; nil at the end.
  func readLine() -> String? {
    var line: [UInt8] = []
    while let byte = try? pipe.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Waits for its end.
  ///
  /// - Returns: The rest of its output, and its exit code or minus the signal.
  func finish() -> (output: String, status: Int32) {
    let rest = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let sign: Int32 = process.terminationReason == .uncaughtSignal ? -1 : 1
    return (rest, sign * process.terminationStatus)
  }

  /// Runs a task to its end, which must be a good one.
  static func output(_ task: String, _ arguments: String...) throws -> String {
    let (output, status) = try Child(task, arguments).finish()
    try #require(status == 0)
    return output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// The kernel's figure about this process that has a name in a file in `/proc/self`.
func kernelFigure(_ name: String, in file: String) throws -> Int {
  let lines = try String(contentsOfFile: "/proc/self/\(file)", encoding: .utf8).split(separator: "\n")
  let line = try #require(lines.first { $0.hasPrefix("\(name):") })
  return try #require(Int(line.filter(\.isNumber)))
}

/// A connection to a store's database that is not the object graph's.
enum Database {
  /// The columns of the rows of a statement, as texts.
  static func rows(_ url: URL, _ sql: String) throws -> [[String]] {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    try #require(sqlite3_open_v2(url.path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    try #require(sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, "\(sql)")
    var rows: [[String]] = []
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
        })
      code = sqlite3_step(statement)
    }
    try #require(code == SQLITE_DONE, "\(sql)")
    return rows
  }

  /// The number in the first column of the first row.
  static func number(_ url: URL, _ sql: String) throws -> Int {
    try #require(try rows(url, sql).first?.first.flatMap { Int($0) })
  }
}
