@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

@Suite struct ComparisonGroupTests {
  /// A timed row whose rounds are the given medians.
  private func row(
    _ backend: String, _ medians: [Double], durability: Durability? = .shipped, level: Level? = .intact,
    resolution: Double = 25
  ) -> SummaryRow {
    var row = SummaryRow(
      cell: SampleRun.save(Spec(verbatim: backend), 1000, durability ?? .shipped), machine: "m", run: "r",
      level: level, engineVersion: "e", fidelity: .native, seed: 1)
    row.cell.durability = durability
    for (index, median) in medians.enumerated() {
      row.rounds[index + 1] = RoundTiming(typical: median, resolution: resolution)
    }
    row.processes = medians.count
    row.p50 = medians.sorted()[medians.count / 2]
    return row
  }

  private let drift = [1.0, 1.3, 0.9, 1.1, 1.2, 1.0]

  private func sentences(_ rows: [SummaryRow]) -> [String] {
    VerdictSentences.winners(ComparisonGroup.all(in: rows)).map { words in
      let text = words.text.replacing(" at 1,000 records", with: "").replacing(
        /\ \((?:may lose|may be|nothing lost)[^)]*\)/, with: "")
      return text.firstRange(of: ": ").map { String(text[$0.upperBound...]) } ?? text
    }
  }

  @Test func `drift that hits both sides alike does not hide the winner`() {
    let fast = row("lmdb", drift.map { $0 * 10_000 })
    let slow = row("sqlite", drift.map { $0 * 12_000 })
    #expect(sentences([slow, fast]) == ["lmdb is 1.20x (1.20-1.20) faster than sqlite."])
  }

  @Test func `a difference that changes sides is inconclusive`() throws {
    let one = row("lmdb", drift.map { $0 * 10_000 })
    let other = row("sqlite", zip(drift, [0.8, 1.3, 1.2, 1.3, 1.2, 1.3]).map { $0 * $1 * 10_000 })
    let slow = row("plist", drift.map { $0 * 90_000 })
    // A ratio between 0.8 and 1.3 in six rounds shows large differences only.
    let open = try #require(RowComparison(base: one, head: other))
    let least = try #require(open.smallestDifference)
    #expect(least > 0.5 && least < 2)
    let words = "inconclusive, a difference of \(NumberFormat.percent(least)) would show"
    #expect(sentences([other, one]) == ["lmdb or sqlite is the fastest (\(words))."])
    // Of three the fastest is picked, which asks for more.
    func wordsOfThree() throws -> String {
      let least = try #require(RowComparison(base: one, head: other, rivals: 3)?.smallestDifference)
      return "inconclusive, a difference of \(NumberFormat.percent(least)) would show"
    }
    let three = try wordsOfThree()
    #expect(three != words)
    #expect(
      sentences([other, slow, one]) == [
        "lmdb or sqlite is the fastest (\(three)), and lmdb is 9.00x (9.00-9.00) faster than plist."
      ])
    // What was shown to be equal is said in other words.
    let twin = row("sqlite", drift.map { $0 * 10_100 })
    #expect(sentences([one, twin]) == ["lmdb and sqlite are about equal."])
    #expect(
      sentences([twin, slow, one]) == [
        "lmdb and sqlite are about equal, and lmdb is 9.00x (9.00-9.00) faster than plist."
      ])
    // One that is equal and one of which nothing is known.
    let third = row("defaults", zip(drift, [0.8, 1.3, 1.2, 1.3, 1.2, 1.3]).map { $0 * $1 * 10_000 })
    #expect(sentences([one, twin, third]) == ["lmdb, sqlite or defaults is the fastest (\(three))."])
    let group = ComparisonGroup.all(in: [one, twin, third])[0]
    let section = try #require(MatrixTable.all([group]).first)
    let marks = ["lmdb", "sqlite", "defaults"].map { id in
      section.field(group, Spec(verbatim: id)).words.text.split(separator: " ").last.map(String.init)
    }
    #expect(marks == ["1.0x", "~", "?"])
  }

  /// One row that lacks rounds leaves open who wins, but not what is known of the others.
  @Test func `marks do not wait for a row that lacks rounds`() throws {
    let rows = [
      row("lmdb", drift.map { $0 * 1e4 }), row("sqlite", [0.9e4, 1.5e4, 0.8e4, 2e4, 1e4, 1.2e4]),
      row("plist", Array(repeating: 9e6, count: 4)),
    ]
    let group = try #require(ComparisonGroup.all(in: rows).first)
    guard group.contest.outcome == .undecided else {
      Issue.record("\(group.contest.outcome)")
      return
    }
    let section = try #require(MatrixTable.all([group]).first)
    let field = section.field(group, Spec(verbatim: "sqlite"))
    #expect(field.words.text.hasSuffix(" ?"), "\(field.words.text)")
    #expect(field.kind != .best)
  }

  @Test func `under five percent, or under the timer, nobody is slower`() {
    let base = row("lmdb", drift.map { $0 * 10_000 })
    #expect(RowComparison(base: base, head: row("a", drift.map { $0 * 10_400 }))?.verdict.isDifference == false)
    #expect(RowComparison(base: base, head: row("a", drift.map { $0 * 10_600 }))?.verdict == .slower)
    #expect(RowComparison(base: row("a", drift.map { $0 * 10_600 }), head: base)?.verdict == .faster)
    let short = row("lmdb", drift.map { $0 * 100 })
    #expect(RowComparison(base: short, head: row("a", drift.map { $0 * 115 }))?.verdict.isDifference == false)
    #expect(RowComparison(base: short, head: row("a", drift.map { $0 * 150 }))?.verdict == .slower)
  }

  /// Two rows of nearly the same speed: one has the shorter median, the other was faster in most rounds.
  @Test func `who comes first is not shown with a larger factor than who follows`() throws {
    let one = row("lmdb", [100, 100, 100, 130, 130, 130].map { $0 * 1e3 })
    let other = row("sqlite", [99, 99, 99, 129, 140, 140].map { $0 * 1e3 })
    var shorter = one
    shorter.p50 = 98_000
    let rows = [row("plist", drift.map { $0 * 9e6 }), shorter, other]
    let group = ComparisonGroup.all(in: rows)[0]
    let best = try #require(group.best)
    #expect(best.cell.backend.id == "sqlite")
    let factors = group.ranking.compactMap { RowComparison.factor(base: best, head: $0) }
    #expect(factors.first == 1)
    #expect(factors == factors.sorted())
  }

  @Test func `where one row was timed in batches the means are compared`() throws {
    var (batched, single) = (row("lmdb", drift.map { $0 * 100 }), row("sqlite", drift.map { $0 * 900 }))
    for round in 1...6 {
      batched.rounds[round]?.isBatched = true
      // A long tail: the mean is twice the median.
      single.rounds[round]?.mean *= 2
    }
    let mixed = try #require(RowComparison(base: batched, head: single))
    #expect(abs(mixed.ratio.ratio - 18) < 1e-9)
    for round in 1...6 { single.rounds[round]?.isBatched = true }
    let alike = try #require(RowComparison(base: batched, head: single))
    #expect(abs(alike.ratio.ratio - 9) < 1e-9)
  }

  @Test func `five rounds name no winner and say so`() {
    let rows = [row("lmdb", Array(repeating: 1e4, count: 5)), row("sqlite", Array(repeating: 9e4, count: 5))]
    #expect(sentences(rows).isEmpty)
    #expect(
      Phrases.undecided(ComparisonGroup.all(in: rows), rounds: 5)
        == "No winner is named: the run has 5 rounds, and from 6 on they can be distinguished from noise.")
    #expect(Phrases.undecided([], rounds: 5) == nil)
  }

  @Test func `what was timed once never wins`() {
    var once = row("archive", [10])
    once.isTimedOnce = true
    let rows = [once, row("lmdb", drift.map { $0 * 1e4 }), row("sqlite", drift.map { $0 * 3e4 })]
    #expect(sentences(rows) == ["lmdb is 3.00x (3.00-3.00) faster than sqlite."])
  }

  @Test func `what is emulated or a work-alike never wins, and is said to be faster where it is`() {
    var graph = row("object-graph", drift.map { $0 * 1e3 })
    graph.fidelity = .workAlike
    var emulated = row("plist", drift.map { $0 * 2e3 })
    emulated.fidelity = .emulated
    let rows = [graph, emulated, row("lmdb", drift.map { $0 * 1e4 }), row("sqlite", drift.map { $0 * 3e4 })]
    #expect(
      sentences(rows) == [
        "lmdb is 3.00x (3.00-3.00) faster than sqlite; object-graph is faster still, but unranked; "
          + "plist is faster still, but emulated."
      ])
    let group = ComparisonGroup.all(in: rows)[0]
    #expect(group.best?.cell.backend.id == "lmdb")
    #expect(group.ranking.map(\.cell.backend.id) == ["object-graph", "plist", "lmdb", "sqlite"])
    // Alone with a native one, nobody is beaten.
    #expect(sentences([graph, rows[2]]).isEmpty)
  }

  @Test func `sizes with the same answer share a sentence`() {
    var rows: [SummaryRow] = []
    for (records, factor) in [(100, 2.0), (1000, 3), (10_000, 0.2)] {
      for (backend, times) in [("lmdb", 1e4), ("sqlite", 1e4 * factor)] {
        var one = row(backend, drift.map { $0 * times })
        one.cell.records = records
        rows.append(one)
      }
    }
    #expect(
      VerdictSentences.winners(ComparisonGroup.all(in: rows)).map(\.text) == [
        "save-one, as shipped (intact): lmdb (may lose the last save) is 2.00x (2.00-2.00) faster than sqlite (may lose "
          + "the last save) at 100 records, "
          + "3.00x (3.00-3.00) at 1,000; sqlite is 5.00x (5.00-5.00) faster than lmdb at 10,000 records."
      ])
  }

  @Test func `everything that promises as much competes, and floors are not ranked`() throws {
    var floor = row("memory", drift.map { $0 * 10 })
    floor.isFloor = true
    floor.level = .volatile
    let rows = [
      row("lmdb", drift.map { $0 * 1e4 }, level: .durable), row("sqlite", drift.map { $0 * 3e4 }),
      row("plist", drift.map { $0 * 9e4 }), row("null", drift, level: .volatile), floor,
      row("defaults", drift.map { $0 * 5e3 }, level: .fragile),
      row("sqlite:journal=memory", drift.map { $0 * 1e4 * 1.5 }, level: .crash),
    ]
    let groups = ComparisonGroup.all(in: rows)
    #expect(groups.map(\.level) == [.durable, .intact, .crash, .fragile, .volatile])
    // What can lose everything at once is ranked with its like only.
    #expect(
      groups.map { $0.ranking.map { "\($0.cell.backend)" } } == [
        ["lmdb"], ["lmdb", "sqlite", "plist"], ["lmdb", "sqlite:journal=memory", "sqlite", "plist"], ["defaults"], [],
      ])
    #expect(
      groups.map { $0.rows.filter($0.exceeds).map(\.cell.backend.id) } == [
        [], ["lmdb"], ["lmdb", "sqlite", "plist"], [], [],
      ])
    #expect(
      sentences(rows) == [
        "lmdb^ is 3.00x (3.00-3.00) faster than sqlite.",
        "lmdb^ is 1.50x (1.50-1.50) faster than sqlite:journal=memory.",
      ])
    // The tables hold the same, and the stronger promise is marked in each.
    let tables = MatrixTable.all(groups).map(\.table)
    let intact = tables[0]
    #expect(intact.columns.map(\.title) == ["workload", "lmdb", "sqlite", "plist"])
    #expect(
      intact.rows[0].map(\.words.text) == ["save-one, 1,000 records", "11 us 1.0x ^", "33 us 3.0x", "99 us 9.0x"])
    // Who is alone at the strongest level is ranked at the next one, and has no table of its own.
    #expect(
      tables.map(\.title) == [
        "Saves as shipped (intact), p50", "Saves as shipped (crash), p50",
        "Saves as shipped, nothing to compare with, p50",
      ])
    let alone = tables[2]
    #expect(alone.columns.map(\.title) == ["workload", "defaults", "null", "memory"])
    #expect(
      alone.rows.map { $0.map(\.words.text) } == [["save-one, 1,000 records", "5.5 us", "1.1 ns floor", "11 ns floor"]])
    #expect(alone.rows.joined().allSatisfy { $0.ratio == nil && $0.kind != .best })
    #expect(alone.footer[0].text.hasPrefix("No ratios"))
  }

  @Test func `the verdict says what is at stake beside each name, once`() throws {
    func counted(_ row: SummaryRow, _ syncs: Int) -> SummaryRow {
      var row = row
      row.cost = Cost(countedOperations: 1000)
      row.cost?.syncs = syncs
      return row
    }
    var rows: [SummaryRow] = []
    for records in [100, 1000] {
      rows += [
        counted(row("lmdb", drift.map { $0 * 1e4 }, level: .durable), 2000),
        counted(row("sqlite", drift.map { $0 * 3e4 }), 4000), counted(row("plist", drift.map { $0 * 9e4 }), 1000),
        counted(row("object-graph", drift.map { $0 * 1e3 }), 4),
      ].map { row in
        var row = row
        row.cell.records = records
        if row.cell.backend.id == "object-graph" { row.fidelity = .workAlike }
        return row
      }
    }
    #expect(
      VerdictSentences.winners(ComparisonGroup.all(in: rows)).map(\.text) == [
        "save-one, as shipped (intact): lmdb^ (nothing lost, 2 syncs a save) is 3.00x (3.00-3.00) faster than sqlite "
          + "(may lose the last save, 4 syncs a save) at 100 records, 3.00x (3.00-3.00) at 1,000; "
          + "object-graph (may lose the last saves, <0.01 syncs a save) is faster still, but unranked."
      ])
    let json = try JSONFormat().text(
      RunReport(
        ReportModel(
          directory: RunDirectory(path: "results/r"), plan: Plan(rounds: 6, cells: []),
          environment: SampleRun.environment, rows: rows, trials: 1)))
    #expect(json.contains("\"after_power_cut\" : \"may lose the last saves\""))
    #expect(json.contains("\"exceeds\" : true"))
  }

  @Test func `in the terminal a star is for the fastest of all that promise as much`() throws {
    var rows: [SummaryRow] = []
    for (backend, factor, level) in [
      ("lmdb", 1.0, Level.durable), ("sqlite", 3.0, .intact), ("defaults", 0.5, .fragile),
    ] {
      var one = row(backend, drift.map { $0 * 1e4 * factor }, level: level)
      one.cell.workload = Spec(id: "import")
      rows.append(one)
    }
    rows.append(row("lmdb", drift.map { $0 * 1e4 }, level: .durable))
    let model = ReportModel(
      directory: RunDirectory(path: "results/r"), plan: Plan(rounds: 6, cells: []),
      environment: SampleRun.environment, rows: rows, trials: 1)
    let table = try #require(RunReport(model).document.sections.first { $0.id == "overview" }?.tables.first)
    #expect(table.rows.map { $0.map(\.words.text) } == [["import 1k", "11 us^*", "33 us", "5.5 us"]])
    #expect(table.footer[0].text.contains("* fastest of all that promise as much"))
    #expect(table.footer.map(\.text).last == "^: safer than required here.")
  }

  @Test func `what does more than asked competes and is marked`() throws {
    let rows = [
      row("lmdb", drift.map { $0 * 1e4 }, durability: .crash, level: .durable),
      row("sqlite", drift.map { $0 * 3e4 }, durability: .crash, level: .crash),
    ]
    #expect(sentences(rows) == ["lmdb^ is 3.00x (3.00-3.00) faster than sqlite."])
    let group = ComparisonGroup.all(in: rows)[0]
    let section = try #require(MatrixTable.all([group]).first)
    #expect(section.field(group, Spec(id: "lmdb")).words.text == "11 us 1.0x ^")
    #expect(section.field(group, Spec(id: "none")) == .unmeasured)
  }

  @Test func `a shipped row stands in where its level is the one asked for`() {
    let rows = [
      row("lmdb", drift.map { $0 * 1e4 }, level: .durable), row("plist", drift.map { $0 * 9e4 }),
      row("sqlite", drift.map { $0 * 3e4 }, durability: .durable, level: .durable),
    ]
    #expect(
      sentences(rows) == [
        "lmdb^ is 9.00x (9.00-9.00) faster than plist.", "lmdb is 3.00x (3.00-3.00) faster than sqlite.",
      ])
  }

  @Test func `reads are one question, other sizes another`() {
    var large = row("sqlite", drift, durability: nil, level: nil)
    large.cell.recordBytes = 4000
    large.cell.threads = 4
    large.cell.cache = .cold
    let groups = ComparisonGroup.all(in: [row("sqlite", drift, durability: nil, level: nil), large])
    #expect(
      groups.map(\.title) == [
        "save-one, 1,000 records", "save-one, 1,000 records, 4,000 bytes each, 4 threads, cold",
      ])
  }
}

@Suite struct GroupingTests {
  @Test func `groups stand in the order in which their keys first come up`() {
    let groups = ["bb", "a", "cc", "d", "bb"].grouped(by: \.count)
    #expect(groups.map(\.key) == [2, 1])
    #expect(groups.map(\.members) == [["bb", "cc", "bb"], ["a", "d"]])
    #expect([Int]().grouped { $0 }.isEmpty)
  }
}
