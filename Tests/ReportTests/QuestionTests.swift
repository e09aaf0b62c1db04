import Contract
@testable import Report
import Testing

@Suite struct QuestionTests {
  /// A timed row whose rounds are the given medians; lower quartiles lie 3 % below.
  private func row(
    _ backend: String, _ medians: [Double], durability: Durability? = .shipped, level: Level? = .intact,
    resolution: Double = 25
  ) -> SummaryRow {
    var row = SummaryRow(
      cell: SampleRun.save(Spec(verbatim: backend), 1000, durability ?? .shipped), machine: "m", run: "r",
      level: level, engineVersion: "e", fidelity: .native, seed: 1)
    row.cell.durability = durability
    for (index, median) in medians.enumerated() {
      row.rounds[index + 1] = RoundTiming(p25: median * 0.97, p50: median, resolution: resolution)
    }
    row.processes = medians.count
    row.p50 = medians.sorted()[medians.count / 2]
    return row
  }

  private let drift = [1.0, 1.3, 0.9, 1.1, 1.2, 1.0]

  private func sentences(_ rows: [SummaryRow]) -> [String] {
    Question.all(in: rows).compactMap(Verdict.sentence)
  }

  @Test func `drift that hits both sides alike does not hide the winner`() {
    let fast = row("lmdb", drift.map { $0 * 10_000 })
    let slow = row("sqlite", drift.map { $0 * 12_000 })
    #expect(sentences([slow, fast]) == ["lmdb is 1.20x (1.20-1.20) faster than sqlite."])
  }

  @Test func `a difference that changes sides is a tie`() {
    let one = row("lmdb", drift.map { $0 * 10_000 })
    let other = row("sqlite", zip(drift, [0.8, 1.3, 1.2, 1.3, 1.2, 1.3]).map { $0 * $1 * 10_000 })
    let slow = row("plist", drift.map { $0 * 90_000 })
    #expect(sentences([other, one]) == ["lmdb and sqlite tie."])
    #expect(
      sentences([other, slow, one]) == ["lmdb and sqlite tie; lmdb is 9.00x (9.00-9.00) faster than plist."])
  }

  @Test func `under five percent, or under the timer, is a tie`() {
    let base = row("lmdb", drift.map { $0 * 10_000 })
    #expect(RowComparison(base: base, head: row("a", drift.map { $0 * 10_400 }))?.verdict == .same)
    #expect(RowComparison(base: base, head: row("a", drift.map { $0 * 10_600 }))?.verdict == .slower)
    #expect(RowComparison(base: row("a", drift.map { $0 * 10_600 }), head: base)?.verdict == .faster)
    let short = row("lmdb", drift.map { $0 * 100 })
    #expect(RowComparison(base: short, head: row("a", drift.map { $0 * 115 }))?.verdict == .same)
    #expect(RowComparison(base: short, head: row("a", drift.map { $0 * 150 }))?.verdict == .slower)
  }

  @Test func `five rounds name no winner and say so`() {
    let rows = [row("lmdb", Array(repeating: 1e4, count: 5)), row("sqlite", Array(repeating: 9e4, count: 5))]
    #expect(sentences(rows).isEmpty)
    #expect(
      Verdict.undecided(Question.all(in: rows), rounds: 5)
        == "No winner is named: the run has 5 rounds, and from 6 on they can be told from noise.")
    #expect(Verdict.undecided([], rounds: 5) == nil)
  }

  @Test func `what was timed once never wins`() {
    var once = row("archive", [10])
    once.isTimedOnce = true
    let rows = [once, row("lmdb", drift.map { $0 * 1e4 }), row("sqlite", drift.map { $0 * 3e4 })]
    #expect(sentences(rows) == ["lmdb is 3.00x (3.00-3.00) faster than sqlite."])
  }

  @Test func `levels are not mixed, and floors not ranked`() {
    var floor = row("memory", drift.map { $0 * 10 })
    floor.isFloor = true
    let rows = [
      row("lmdb", drift.map { $0 * 1e4 }, level: .durable), row("sqlite", drift.map { $0 * 3e4 }),
      row("plist", drift.map { $0 * 9e4 }), row("null", drift, level: .volatile), floor,
    ]
    let questions = Question.all(in: rows)
    #expect(questions.map(\.level) == [.durable, .intact, .volatile])
    #expect(questions.map { $0.ranking.map(\.cell.backend.id) } == [["lmdb"], ["sqlite", "plist"], []])
    #expect(sentences(rows) == ["sqlite is 3.00x (3.00-3.00) faster than plist."])
  }

  @Test func `what does more than asked competes and is marked`() {
    let rows = [
      row("lmdb", drift.map { $0 * 1e4 }, durability: .crash, level: .durable),
      row("sqlite", drift.map { $0 * 3e4 }, durability: .crash, level: .crash),
    ]
    #expect(sentences(rows) == ["lmdb^ is 3.00x (3.00-3.00) faster than sqlite."])
    let question = Question.all(in: rows)[0]
    #expect(
      MarkdownMatrix.field(question, Spec(id: "lmdb")) == "10 us 1.0x ^".replacing("10 us", with: "11 us"))
    #expect(MarkdownMatrix.field(question, Spec(id: "none")) == "-")
  }

  @Test func `a shipped row stands in where its level is the one asked for`() {
    let rows = [
      row("lmdb", drift.map { $0 * 1e4 }, level: .durable), row("plist", drift.map { $0 * 9e4 }),
      row("sqlite", drift.map { $0 * 3e4 }, durability: .durable, level: .durable),
    ]
    #expect(sentences(rows) == ["lmdb is 3.00x (3.00-3.00) faster than sqlite."])
  }

  @Test func `reads are one question, other sizes another`() {
    var large = row("sqlite", drift, durability: nil, level: nil)
    large.cell.recordBytes = 4000
    large.cell.threads = 4
    large.cell.cache = .cold
    let questions = Question.all(in: [row("sqlite", drift, durability: nil, level: nil), large])
    #expect(
      questions.map(\.title) == [
        "save-one, 1,000 records", "save-one, 1,000 records, 4,000 bytes each, 4 threads, cold",
      ])
  }
}
