import Foundation
import StorageContract
import StorageReport
import Testing

@testable import StorageBench

@Suite struct CostHistoryTests {
  private func file(_ lines: [String], lmdb: String = "LMDB 0.9.24") -> String {
    "schema=1,architecture=x86_64,page_size=4096,swift=6.3,mode=release,seed=1,payload=random,engine.lmdb=\(lmdb)\n"
      + lines.map { "\($0)\n" }.joined()
  }

  private let one = "save-one,100,lmdb,shipped,ops=10,bytes=1000,writes=30,syncs=20,allocations=5"
  private let fewer = "save-one,100,lmdb,shipped,ops=10,bytes=900,writes=30,syncs=20,allocations=5"
  private let other = "read-one,100,lmdb,-,ops=10,bytes=0,writes=0,syncs=0,allocations=5"

  /// A history of commits with these versions of the file; nil is a commit without it.
  private func history(_ versions: [String?]) throws -> CountHistory {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).csv")
    try Data().write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    var history = CostHistory(path: path.path)
    history.git = { arguments in
      if arguments[0] == "log" {
        return versions.indices.map { "hash\($0)\u{1F}h\($0)\u{1F}2026-01-0\($0 + 1)\u{1F}commit, no. \($0)\n" }
          .joined()
      }
      return versions[Int(arguments[1].dropFirst(4).prefix(1)) ?? 0]
    }
    return try history.read()
  }

  @Test func everyCommitHasWhatItChanged() throws {
    let history = try history([file([one]), file([fewer, other]), file([fewer], lmdb: "LMDB 0.9.31")])
    #expect(history.steps.map(\.revision) == ["h0", "h1", "h2"])
    #expect(history.steps[0].added == ["lmdb/save-one/100/shipped"] && history.steps[0].changes.isEmpty)
    #expect(history.steps[1].added == ["lmdb/read-one/100/-"])
    #expect(history.steps[1].changes.map(\.count.metric) == ["bytes"])
    #expect(history.steps[1].changes[0].count.head == 900)
    #expect(history.steps[2].removed == ["lmdb/read-one/100/-"])
    #expect(history.steps[2].notes == ["lmdb: LMDB 0.9.24 -> LMDB 0.9.31"])
  }

  /// Totals of other numbers of operations are the same where a single operation costs the same.
  @Test func operationsCount() throws {
    let twice = "save-one,100,lmdb,shipped,ops=20,bytes=2000,writes=60,syncs=40,allocations=11"
    let steps = try history([file([one]), file([twice])]).steps
    #expect(steps[1].changes.map(\.count.metric) == ["allocations"])
  }

  @Test func whatCannotBeReadIsSaid() throws {
    let steps = try history([file([one]), "nonsense", nil, file([one])]).steps
    #expect(steps[1].notes.first?.hasPrefix("not readable: ") == true)
    #expect(steps[2].notes == ["the file was removed"] && steps[2].removed.count == 1)
    #expect(steps[3].added.count == 1)
  }

  @Test func theReportSaysIt() throws {
    let history = try history([file([one]), file([fewer, other])])
    let text = MarkdownFormat.text(history.document)
    #expect(text.contains("1 count changed over 2 commits of "))
    #expect(text.contains("| `h1` | 2026-01-02 | bytes of 1 cell; 1 cell added | commit, no. 1 |"))
    #expect(text.contains("| `lmdb/save-one/100/shipped` | bytes | 100 B | 90 B | -10 % |"))
    #expect(history.document.sections[0].charts.count == 1)
    #expect(TerminalWriter.text(history.document).split(separator: "\n").allSatisfy { $0.count <= 100 })
    // Nothing changed: no picture, and it is said.
    let same = try self.history([file([one]), file([one, other])])
    #expect(same.document.sections[0].charts.isEmpty)
    #expect(TerminalWriter.text(same.document).contains("0 counts changed over 2 commits"))
  }

  @Test func filesWithoutHistoryAreRefused() {
    #expect {
      try CostHistory(path: "/nowhere/costs.csv").read()
    } throws: {
      "\($0)".contains("/nowhere/costs.csv does not exist")
    }
    #expect {
      try self.history([])
    } throws: {
      "\($0)".contains("has no history")
    }
  }
}
