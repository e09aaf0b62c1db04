import StorageReport
import Testing

@testable import StorageBench

/// The tables of calls and of statements.
@Suite struct TraceReportTests {
  private static func line(
    _ call: String, _ file: String, _ bytes: Int? = nil, _ microseconds: Double, _ meaning: String = ""
  ) -> TraceReport.Line {
    TraceReport.Line(
      call: call, file: file, bytes: bytes, duration: Int64(microseconds * 1_000), meaning: meaning,
      isWrite: call == "write", isSync: call == "sync")
  }

  private static let report = TraceReport(
    title: "save-one on sqlite, 1,000 records, shipped = intact", words: ["files on ext4", "Operation 3 is shown."],
    lines: [
      line("create", "a|b-journal", nil, 31.24), line("write", "a|b-journal", 4_096, 8, "page 5"),
      line("sync", "a|b-journal", nil, 1_204),
      TraceReport.Line(call: "rename", file: "t", target: "a", duration: 500, isPassing: true),
    ])

  /// Returns the lines of a terminal, with single spaces.
  private static func lines(_ document: Document) -> [String] {
    TerminalWriter.text(document).split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
  }

  @Test func aTerminal() {
    #expect(
      TerminalWriter.text(Self.report.document) == """
        save-one on sqlite, 1,000 records, shipped = intact
        files on ext4
        Operation 3 is shown.

        call    file         bytes       µs  what it is
        create  a|b-journal            31.2
        write   a|b-journal  4,096      8.0  page 5
        sync    a|b-journal         1,204.0
        rename  t -> a                  0.5
        4 calls, 1 write of 4,096 bytes, 1 sync; 1.2 ms in these calls.

        """)
  }

  @Test func markdown() {
    let text = MarkdownFormat.text(Self.report.document)
    #expect(text.hasPrefix("# storage-bench trace\n\n**save-one on sqlite, 1,000 records, shipped = intact**\n\n"))
    #expect(text.contains("\n| write | a\\|b-journal | 4,096 | 8.0 | page 5 |\n"))
    #expect(text.contains("\n| rename | t -&gt; a |  | 0.5 |  |\n"))
  }

  /// A group of calls that repeats at least four times is written once, even if the pages differ.
  @Test func repetitions() {
    let frames = (1...5).flatMap { page in
      [Self.line("write", "wal", 24, 1, "frame of page \(page)"), Self.line("write", "wal", 4_096, 2, "page \(page)")]
    }
    let reads = (1...3).map { Self.line("read", "db", 4_096, 1, "page \($0)") }
    let report = TraceReport(title: "t", words: [], lines: frames + reads)
    #expect(
      Self.lines(report.document) == [
        "t", "call file bytes µs what it is", "write wal 24 1.0 frame of page 1", "write wal 4,096 2.0 page 1",
        "... 16,480 12.0 these 2 calls 4 more times", "read db 4,096 1.0 page 1", "read db 4,096 1.0 page 2",
        "read db 4,096 1.0 page 3",
        "13 calls, 10 writes of 20,600 bytes, 3 reads of 12,288 bytes, 0 syncs; 18 µs in these calls.",
      ])
  }

  @Test func anOperationWithoutCalls() {
    let report = TraceReport(title: "read-one on lmdb", words: [], lines: [])
    let text = TerminalWriter.text(report.document)
    #expect(text.hasPrefix("read-one on lmdb\nNo call: what the operation needs is in memory"))
    #expect(!MarkdownFormat.text(report.document).contains("|"))
  }

  // MARK: - Statements

  private func statements(_ operations: [[String]]) -> [String] {
    Self.lines(TraceReport.statements(title: "t", words: [], operations: operations, width: 60))
  }

  @Test func equalStatementsAndOperationsAreShownOnce() {
    let save = ["BEGIN"] + Array(repeating: "INSERT\n  INTO a", count: 1_200) + ["COMMIT"]
    #expect(
      statements([["CREATE"], save, save]) == [
        "t", "times statement", "1 CREATE", "Operation 1: 1 statement.", "times statement", "1 BEGIN",
        "1,200 INSERT INTO a", "1 COMMIT", "Operations 2 to 3, each: 1,202 statements.",
      ])
    #expect(
      statements([["BEGIN"] + (1...5).flatMap { _ in ["SELECT 1", "SELECT 2"] }]).dropFirst(3) == [
        "1 SELECT 1", "1 SELECT 2", "... these 2 rows 4 more times", "Operation 1: 11 statements.",
      ])
  }

  @Test func longTextsAreCut() {
    let long = "SELECT " + String(repeating: "x", count: 100)
    #expect(statements([[long]])[2] == "1 " + long.prefix(49) + "...")
    #expect(statements([[]]) == ["t", "Operation 1: no statement in this process."])
  }
}
