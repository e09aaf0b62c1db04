import StorageContract
@testable import StorageReport
import Testing

/// Two runs in one picture.
@Suite struct RunCurvesTests {
  private func judgement(_ name: String, _ base: Double, _ head: Double) -> Judgement {
    Judgement(name: name, verdict: .same, time: TimeChange(base: base, head: head, ratio: head / base, margin: 0.05))
  }

  private func curves(_ judgements: [Judgement], _ subject: Comparison.Subject = .runs) -> Section? {
    Comparison(
      subject: subject, base: .init(name: "old"), head: .init(name: "new"), judgements: judgements
    ).document.sections.first { $0.id == "curves" }
  }

  private var sizes: [Judgement] {
    [("100", 6e5), ("1000", 6.2e5), ("10000", 7e5)].flatMap { size, time in
      [
        judgement("sqlite/save-one/\(size)/shipped", time, time * 1.5),
        judgement("lmdb:sync=no/save-one/\(size)/shipped", time / 3, time / 4),
      ]
    }
  }

  @Test func `a workload at several sizes has both runs' curves, with the figures of the rows`() throws {
    let section = try #require(curves(sizes + [Judgement(name: "plist/save-one/100/durable", verdict: .same)]))
    let chart = try #require(section.charts.first as? GrowthChart)
    #expect(section.charts.count == 1 && chart.id == "save-one-shipped-runs")
    #expect(chart.lines.map(\.name) == ["sqlite", "sqlite", "lmdb:sync=no", "lmdb:sync=no"])
    #expect(chart.lines[0].points.map(\.y) == [6e5, 6.2e5, 7e5])
    #expect(chart.lines[1].points.map(\.y) == [6e5, 6.2e5, 7e5].map { $0 * 1.5 })
    // One colour for each backend; the run before is dashed and hollow, the other one whole and filled.
    #expect(chart.lines.map(\.mark.index) == [0, 0, 1, 1])
    let file = chart.file()
    #expect(file.matches(of: #/<path class="line s0"[^>]*stroke-dasharray="5 4"/#).count == 1)
    #expect(file.matches(of: #/<path class="line s0"/#).count == 2)
    #expect(file.matches(of: #/<circle class="hollow s0"/#).count == 3)
    #expect(file.matches(of: #/<circle class="s0"/#).count == 4, "three points and the name's")
    #expect(chart.note == "Dashed and hollow: before (old). Whole and filled: now (new).")
    #expect(chart.summary.contains("sqlite 600 µs and 900 µs at 100 records"))
    let table = try #require(section.tables.first)
    #expect(
      table.isFolded && table.columns.map(\.title) == ["backend", "records", "before (old)", "now (new)", "change"])
    #expect(table.rows.count == 6 && table.rows[0].map(\.words.text) == ["sqlite", "100", "600 µs", "900 µs", "+50 %"])
  }

  @Test func `one size has two dots for each backend`() throws {
    let section = try #require(
      curves([
        judgement("sqlite/read-one/1000/-/threads=4/cold", 7200, 7200), judgement("a/save-one/5/durable", 100, 300),
        judgement("b/save-one/5/durable", 100, 100),
      ]))
    #expect(section.charts.map(\.id) == ["read-one-reads-threads4-cold-runs", "save-one-durable-runs"])
    let chart = try #require(section.charts.last as? IntervalChart)
    #expect(chart.rows.map(\.text) == ["100 ns to 300 ns", "100 ns"])
    let file = chart.file()
    #expect(file.contains("class=\"hollow s1\"") && file.matches(of: #/<line class="line s\d"/#).count == 1)
    #expect(section.tables.map(\.rows.count) == [1, 2])
  }

  @Test func `without a cell that both runs timed there is no picture, nor for what is no pair of runs`() {
    #expect(curves([Judgement(name: "sqlite/save-one/100/shipped", verdict: .same)]) == nil)
    #expect(curves(sizes, .pairs) == nil)
    #expect(curves([judgement("bytes of a/b < 5", 1, 2)]) == nil)
  }

  @Test func `a cell is read from its name`() {
    for name in ["a/b/1/-", "sqlite:journal=wal/mix:ycsb=a/1000/durable/bytes=4000/threads=4/cold"] {
      #expect(Cell(named: name)?.name == name)
    }
    for name in ["a/b/1", "a/b/x/-", "a/b/1/-/what", "a/b/1/sometimes"] { #expect(Cell(named: name) == nil) }
  }
}
