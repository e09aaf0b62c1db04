import StorageReport
import Testing

@testable import StorageBench

@Suite struct StatementReportTests {
  private func lines(_ operations: [[String]], width: Int = 60) -> [String] {
    let document = StatementReport.document(title: "t", words: [], operations: operations, width: width)
    return TerminalWriter.text(document).split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
  }

  @Test func equalStatementsAndOperationsAreShownOnce() {
    let save = ["BEGIN"] + Array(repeating: "INSERT\n  INTO a", count: 1_200) + ["COMMIT"]
    #expect(
      lines([["CREATE"], save, save]) == [
        "t", "times statement", "1 CREATE", "Operation 1: 1 statement.", "times statement", "1 BEGIN",
        "1,200 INSERT INTO a", "1 COMMIT", "Operations 2 to 3, each: 1,202 statements.",
      ])
    #expect(
      lines([["BEGIN"] + (1...5).flatMap { _ in ["SELECT 1", "SELECT 2"] }]).dropFirst(3) == [
        "1 SELECT 1", "1 SELECT 2", "... these 2 rows 4 more times", "Operation 1: 11 statements.",
      ])
  }

  @Test func longTextsAreCut() {
    let long = "SELECT " + String(repeating: "x", count: 100)
    #expect(lines([[long]])[2] == "1 " + long.prefix(49) + "...")
    #expect(lines([[]]) == ["t", "Operation 1: no statement in this process."])
  }
}
