import Foundation

/// A program of another project that some tests need, and that a machine may not have.
struct Tool: Sendable {
  /// Where it is; nil where it is not installed.
  let path: String?

  /// Looks for a program in PATH, the first of its names that is there.
  init(_ names: String...) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    path = names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// What validates HTML.
  static let tidy = Tool("tidy")
  /// What validates XML.
  static let xmllint = Tool("xmllint")

  /// Whether it can be used.
  var isInstalled: Bool { path != nil }

  /// Runs it and waits for its end.
  ///
  /// - Returns: The lines that it has written to standard error, and its exit code.
  /// - Throws: ``BrowserError`` if it is not there.
  func run(_ arguments: [String]) throws -> (messages: [String], code: Int32) {
    guard let path else { throw BrowserError("the tool is not installed") }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text.split(separator: "\n").map(String.init), process.terminationStatus)
  }
}
