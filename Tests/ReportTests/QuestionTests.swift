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

@Suite struct SaveCostTests {
  private func series(_ times: [(records: Int, time: Double?)], level: Level = .intact) -> SaveCost {
    let rows = times.map { records, time in
      var row = SummaryRow(
        cell: SampleRun.save(SampleRun.plist, records), machine: "m", run: "r", level: level,
        engineVersion: "e", fidelity: .native, seed: 1)
      row.p50 = time
      row.p50Interval = time.map { .init(low: $0 * 0.9, high: $0 * 1.1) }
      var cost = Cost(countedOperations: 8)
      cost.bytesWrittenSettled = 8 * records * 250
      cost.syncs = 8
      row.cost = cost
      return row
    }
    return SaveCost(backend: SampleRun.plist, durability: .shipped, rows: rows)
  }

  @Test func `the frame limit lies between the sizes`() throws {
    let limit = series([(100, 2.7e6), (1000, 27e6)]).limit(SaveCost.frame)
    guard case .at(let records)? = limit.at else {
      Issue.record("16.7 ms lie between 2.7 and 27 ms")
      return
    }
    #expect(abs(records - 618.5) < 1)
    #expect(limit.inWords == "to ~620")
    let interval = try #require(limit.interval)
    #expect(abs(interval.low - 618.5 / 1.1) < 1 && abs(interval.high - 618.5 / 0.9) < 1)
  }

  @Test func `a limit out of reach is said in words`() {
    #expect(series([(100, 1e6), (1000, 1e6)]).limit(SaveCost.frame).inWords == "at any size")
    #expect(series([(100, 1e6), (1000, nil)]).limit(SaveCost.frame).inWords == "beyond 100")
    #expect(series([(100, 20e6), (1000, 30e6)]).limit(SaveCost.frame).inWords == "not at 100")
    #expect(series([(100, nil)]).limit(SaveCost.frame).inWords == "not timed")
  }

  @Test func `growth is told in words`() {
    #expect(series([(100, nil), (1000, nil)]).growthInWords == "grows with the store, slope 1.00")
    #expect(series([(100, nil)]).growthInWords == nil)
  }

  @Test func `power cuts are told by level`() {
    let words = [Level.durable, .intact, .crash, .fragile].map { series([(100, 1)], level: $0).afterPowerCut }
    #expect(words == ["nothing lost", "last save may go", "may be corrupt", "! a crash can empty it"])
  }
}
