import Foundation
import Testing

/// What `docs/questions.md` says is what its run measured.
@Suite struct QuestionsTests {
  @Test func `every figure of the page is one of the run`() throws {
    let page = try FigurePage("questions.md", ["cell": CellFigures(["": "results/questions/summary.csv"])])
    #expect(try page.expectFigures() > 200)
    // All questions, each with its command.
    for number in 1...15 { #expect(page.text.contains("\n## \(number). ")) }
    #expect(page.text.components(separatedBy: "\n    scripts/bench ").count - 1 >= 16)
    #expect(page.text.components(separatedBy: "*Not answered:*").count == 16)
  }
}
