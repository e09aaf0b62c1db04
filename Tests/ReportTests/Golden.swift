import Foundation
import Testing

/// Where the committed files are.
let goldenDirectory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .appendingPathComponent("Golden")

/// Compares a text with a committed file. `RECORD_GOLDEN=1` writes the file anew, to be looked at before committing.
func expectGolden(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let url = goldenDirectory.appendingPathComponent(name)
  if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
    return
  }
  let golden = try String(decoding: Data(contentsOf: url), as: UTF8.self)
  guard text != golden else { return }
  let lines = (
    text.split(separator: "\n", omittingEmptySubsequences: false),
    golden.split(separator: "\n", omittingEmptySubsequences: false)
  )
  let first = zip(lines.0, lines.1).enumerated().first { $1.0 != $1.1 }
  let place =
    first.map { "line \($0.offset + 1) is\n\($0.element.0)\nand was\n\($0.element.1)" }
    ?? "the lengths differ"
  Issue.record(
    "\(name) changed: \(place)\nIf that is meant, run the tests with RECORD_GOLDEN=1.",
    sourceLocation: sourceLocation)
}
