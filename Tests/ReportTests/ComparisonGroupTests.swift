import StorageContract
@testable import StorageReport
import StorageStatistics
import Testing

@Suite struct ComparisonGroupTests {
  /// A row with the given medians of its rounds.
  private func row(
    _ backend: String, _ medians: [Double], durability: Durability? = .shipped, level: Level? = .intact
  ) -> SummaryRow {
    changed(SummaryRow(Cell(backend, records: 1000, durability: durability), medians, level: level)) {
      $0.p50 = medians.sorted()[medians.count / 2]
    }
  }

  /// A row whose rounds take this time in nanoseconds, on a machine that drifts.
  private func row(
    _ backend: String, _ time: Double, durability: Durability? = .shipped, level: Level? = .intact
  ) -> SummaryRow {
    row(backend, drift.map { $0 * time }, durability: durability, level: level)
  }

  private let drift = [1.0, 1.3, 0.9, 1.1, 1.2, 1.0]
  /// Factors around 1 that differ from round to round.
  private let noise = [0.8, 1.3, 1.2, 1.3, 1.2, 1.3]

  private func sentences(_ rows: [SummaryRow]) -> [String] {
    VerdictSentences.winners(ComparisonGroup.all(in: rows)).map { words in
      let text = words.text.replacing(" at 1,000 records", with: "").replacing(
        /\ \((?:may lose|may be|nothing lost)[^)]*\)/, with: "")
      return text.firstRange(of: ": ").map { String(text[$0.upperBound...]) } ?? text
    }
  }

  @Test func `drift that hits both sides alike does not hide the winner`() {
    #expect(
      sentences([row("sqlite", 12_000), row("lmdb", 10_000)]) == ["lmdb is 1.20× (1.20-1.20) faster than sqlite."])
  }

  @Test func `a difference that changes sides is inconclusive`() throws {
    let one = row("lmdb", 10_000)
    let other = row("sqlite", zip(drift, noise).map { $0 * $1 * 10_000 })
    let slow = row("plist", 90_000)
    // A ratio between 0.8 and 1.3 in six rounds shows only large differences.
    let least = try #require(RowComparison(base: one, head: other)?.smallestDifference)
    #expect(least > 0.5 && least < 2)
    let words = "inconclusive, a difference of \(NumberFormat.percent(least)) would show"
    #expect(sentences([other, one]) == ["lmdb or sqlite is the fastest (\(words))."])
    // To pick the fastest of three needs a larger difference.
    let leastOfThree = try #require(RowComparison(base: one, head: other, rivals: 3)?.smallestDifference)
    let three = "inconclusive, a difference of \(NumberFormat.percent(leastOfThree)) would show"
    #expect(three != words)
    #expect(
      sentences([other, slow, one]) == [
        "lmdb or sqlite is the fastest (\(three)), and lmdb is 9.00× (9.00-9.00) faster than plist."
      ])
    let twin = row("sqlite", 10_100)
    #expect(sentences([one, twin]) == ["lmdb and sqlite are about equal."])
    #expect(
      sentences([twin, slow, one]) == [
        "lmdb and sqlite are about equal, and lmdb is 9.00× (9.00-9.00) faster than plist."
      ])
    // One is equal, of the other nothing is known.
    let third = row("defaults", zip(drift, noise).map { $0 * $1 * 10_000 })
    #expect(sentences([one, twin, third]) == ["lmdb, sqlite or defaults is the fastest (\(three))."])
    let group = ComparisonGroup.all(in: [one, twin, third])[0]
    let section = try #require(MatrixTable.all([group]).first)
    let marks = ["lmdb", "sqlite", "defaults"].map { id in
      section.field(group, Spec(verbatim: id)).words.text.split(separator: " ").last.map(String.init)
    }
    #expect(marks == ["1.0×", "~", "?"])
  }

  /// A row without enough rounds leaves the winner open, but not the comparisons of the others.
  @Test func `marks do not wait for a row that lacks rounds`() throws {
    let rows = [
      row("lmdb", 1e4), row("sqlite", [0.9e4, 1.5e4, 0.8e4, 2e4, 1e4, 1.2e4]),
      row("plist", Array(repeating: 9e6, count: 4)),
    ]
    let group = try #require(ComparisonGroup.all(in: rows).first)
    #expect(group.contest.outcome == .undecided)
    let field = try #require(MatrixTable.all([group]).first).field(group, Spec(verbatim: "sqlite"))
    #expect(field.words.text.hasSuffix(" ?"), "\(field.words.text)")
    #expect(field.kind != .best)
  }

  @Test func `differences under five percent, or under the timer, are ignored`() {
    func verdict(_ base: Double, _ head: Double) -> RowVerdict? {
      RowComparison(base: row("lmdb", base), head: row("a", head))?.verdict
    }
    #expect(verdict(10_000, 10_400)?.isDifference == false)
    #expect(verdict(10_000, 10_600) == .slower && verdict(10_600, 10_000) == .faster)
    #expect(verdict(100, 115)?.isDifference == false)
    #expect(verdict(100, 150) == .slower)
  }

  /// Of two rows with nearly the same speed, one has the shorter median, and the other was faster in most rounds.
  @Test func `factors grow with the rank`() throws {
    let one = row("lmdb", [100, 100, 100, 130, 130, 130].map { $0 * 1e3 })
    let other = row("sqlite", [99, 99, 99, 129, 140, 140].map { $0 * 1e3 })
    let rows = [row("plist", 9e6), changed(one) { $0.p50 = 98_000 }, other]
    let group = ComparisonGroup.all(in: rows)[0]
    let best = try #require(group.best)
    #expect(best.cell.backend.id == "sqlite")
    let factors = group.ranking.compactMap { RowComparison.factor(base: best, head: $0)?.value }
    #expect(factors.first == 1)
    #expect(factors == factors.sorted())
  }

  @Test func `where one row was timed in batches the means are compared`() throws {
    var (batched, single) = (row("lmdb", 100), row("sqlite", 900))
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
    let once = changed(row("archive", [10])) { $0.isTimedOnce = true }
    let rows = [once, row("lmdb", 1e4), row("sqlite", 3e4)]
    #expect(sentences(rows) == ["lmdb is 3.00× (3.00-3.00) faster than sqlite."])
  }

  @Test func `emulated rows and work-alikes never win, and are named if they are faster`() {
    let graph = changed(row("object-graph", 1e3)) { $0.fidelity = .workAlike }
    let emulated = changed(row("plist", 2e3)) { $0.fidelity = .emulated }
    let rows = [graph, emulated, row("lmdb", 1e4), row("sqlite", 3e4)]
    #expect(
      sentences(rows) == [
        "lmdb is 3.00× (3.00-3.00) faster than sqlite; object-graph is faster still, but unranked; "
          + "plist is faster still, but emulated."
      ])
    let group = ComparisonGroup.all(in: rows)[0]
    #expect(group.best?.cell.backend.id == "lmdb")
    #expect(group.ranking.map(\.cell.backend.id) == ["object-graph", "plist", "lmdb", "sqlite"])
    #expect(sentences([graph, rows[2]]).isEmpty)
  }

  @Test func `sizes with the same answer share a sentence`() {
    let rows = [(100, 2.0), (1000, 3), (10_000, 0.2)].flatMap { records, factor in
      [row("lmdb", 1e4), row("sqlite", 1e4 * factor)].map { changed($0) { $0.cell.records = records } }
    }
    #expect(
      VerdictSentences.winners(ComparisonGroup.all(in: rows)).map(\.text) == [
        "save-one, as shipped (intact): lmdb (may lose the last save) is 2.00× (2.00-2.00) faster than sqlite (may lose "
          + "the last save) at 100 records, "
          + "3.00× (3.00-3.00) at 1,000; sqlite is 5.00× (5.00-5.00) faster than lmdb at 10,000 records."
      ])
  }

  @Test func `rows of the same safety or more compete, and floors are not ranked`() {
    let floor = changed(row("memory", 10, level: .volatile)) { $0.isFloor = true }
    let rows = [
      row("lmdb", 1e4, level: .durable), row("sqlite", 3e4),
      row("plist", 9e4), row("null", drift, level: .volatile), floor,
      row("defaults", 5e3, level: .fragile),
      row("sqlite:journal=memory", 1e4 * 1.5, level: .crash),
    ]
    let groups = ComparisonGroup.all(in: rows)
    #expect(groups.map(\.level) == [.durable, .intact, .crash, .fragile, .volatile])
    // Fragile and volatile backends are ranked only among themselves.
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
        "lmdb^ is 3.00× (3.00-3.00) faster than sqlite.",
        "lmdb^ is 1.50× (1.50-1.50) faster than sqlite:journal=memory.",
      ])
    // The only backend of the strongest level is ranked at the next one, and has no separate table.
    #expect(
      MatrixTable.all(groups).map(\.table.title) == [
        "Saves as shipped (intact), p50", "Saves as shipped (crash), p50",
        "Saves as shipped, nothing to compare with, p50",
      ])
  }

  @Test func `the verdict names the risk beside each name, once`() throws {
    let counted = [
      (row("lmdb", 1e4, level: .durable), syncs: 2000), (row("sqlite", 3e4), 4000), (row("plist", 9e4), 1000),
      (changed(row("object-graph", 1e3)) { $0.fidelity = .workAlike }, 4),
    ].map { row, syncs in row.counting(1000) { $0.syncs = syncs } }
    let rows = [100, 1000].flatMap { records in counted.map { changed($0) { $0.cell.records = records } } }
    #expect(
      VerdictSentences.winners(ComparisonGroup.all(in: rows)).map(\.text) == [
        "save-one, as shipped (intact): lmdb^ (nothing lost, 2 syncs a save) is 3.00× (3.00-3.00) faster than sqlite "
          + "(may lose the last save, 4 syncs a save) at 100 records, 3.00× (3.00-3.00) at 1,000; "
          + "object-graph (may lose the last saves, <0.01 syncs a save) is faster still, but unranked."
      ])
    let json = try ReportFormat.json.text(RunReport(ReportModel(rows: rows)))
    #expect(json.contains("\"after_power_cut\" : \"may lose the last saves\""))
    #expect(json.contains("\"exceeds\" : true"))
  }

  @Test func `in the terminal a star is for the fastest of all that promise as much`() throws {
    let imports = [
      row("lmdb", 1e4, level: .durable), row("sqlite", 3e4), row("defaults", 5e3, level: .fragile),
    ].map { changed($0) { $0.cell.workload = Spec(id: "import") } }
    let model = ReportModel(rows: imports + [row("lmdb", 1e4, level: .durable)])
    let table = try #require(model.section("overview")?.tables.first)
    #expect(table.texts == [["import 1k", "11 µs^*", "33 µs", "5.5 µs"]])
    #expect(table.footer[0].text.contains("* fastest of all that promise as much"))
    #expect(table.footer.map(\.text).last == "^: safer than required here.")
  }

  @Test func `what does more than asked competes and is marked`() throws {
    let rows = [
      row("lmdb", 1e4, durability: .crash, level: .durable),
      row("sqlite", 3e4, durability: .crash, level: .crash),
    ]
    #expect(sentences(rows) == ["lmdb^ is 3.00× (3.00-3.00) faster than sqlite."])
    let group = ComparisonGroup.all(in: rows)[0]
    let section = try #require(MatrixTable.all([group]).first)
    #expect(section.field(group, Spec(id: "lmdb")).words.text == "11 µs 1.0× ^")
    #expect(section.field(group, Spec(id: "none")) == .unmeasured)
  }

  @Test func `a shipped row stands in where its level is the one asked for`() {
    let rows = [
      row("lmdb", 1e4, level: .durable), row("plist", 9e4),
      row("sqlite", 3e4, durability: .durable, level: .durable),
    ]
    #expect(
      sentences(rows) == [
        "lmdb^ is 9.00× (9.00-9.00) faster than plist.", "lmdb is 3.00× (3.00-3.00) faster than sqlite.",
      ])
  }

  @Test func `reads are one question, other sizes another`() {
    let read = row("sqlite", drift, durability: nil, level: nil)
    let large = changed(read) { ($0.cell.recordBytes, $0.cell.threads, $0.cell.cache) = (4000, 4, .cold) }
    let groups = ComparisonGroup.all(in: [read, large])
    #expect(
      groups.map(\.title) == [
        "save-one, 1,000 records", "save-one, 1,000 records, 4,000 bytes each, 4 threads, cold",
      ])
  }
}
