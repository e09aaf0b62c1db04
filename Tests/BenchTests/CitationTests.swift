import Foundation
@testable import StorageBench
import Testing

@Suite struct CitationTests {
  @Test func `a citation names the version that the suite prints`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("CITATION.cff"), encoding: .utf8)
    #expect(text.contains("\nversion: \(suiteVersion)\n"))
  }
}
