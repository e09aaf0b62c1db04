import Foundation
import TestSupport

/// A program of another project that some tests need.
struct Tool: Sendable {
  /// The path, nil if it is not installed.
  let path: String?

  /// Looks for a program in PATH by its names.
  init(_ names: String...) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    path = names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// A validator of HTML.
  static let tidy = Tool("tidy")

  var isInstalled: Bool { path != nil }

  /// Runs the program and waits for its end.
  ///
  /// - Returns: The lines on standard error, and the exit code.
  /// - Throws: ``BrowserError`` if the program is not installed.
  func run(_ arguments: [String]) throws -> (messages: [String], code: Int32) {
    guard let path else { throw BrowserError("the tool is not installed") }
    let (_, errors, status) = try runProgram([path] + arguments)
    return (errors.split(separator: "\n").map(String.init), status)
  }
}
