import Foundation
@testable import StorageBench
import Testing

@Suite struct CitationTests {
  @Test func `a citation names the version that the suite prints`() throws {
    let text = try String(contentsOf: repository.appendingPathComponent("CITATION.cff"), encoding: .utf8)
    #expect(text.contains("\nversion: \(suiteVersion)\n"))
  }
}
