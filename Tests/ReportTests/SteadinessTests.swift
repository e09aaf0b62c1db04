import StorageRunFiles
import StorageStatistics
import Testing

@testable import TestSupport
@testable import StorageReport

/// The change of latency within a trial.
@Suite struct SteadinessTests {
  @Test func `a series keeps at most 64 stretches, and loses nothing`() throws {
    var series = LatencySeries()
    for operation in 1...10_000 { series.add(Int64(operation)) }
    #expect(series.sums.count <= LatencySeries.most && series.sums.count > LatencySeries.most / 2)
    #expect(series.sums.reduce(0, +) == 10_000 * 10_001 / 2)
    #expect(series.slowest.max() == 10_000)
    #expect(series.means == series.means.sorted())
    // The means of 1 to 5,000 and of 5,001 to 10,000, except for an incomplete stretch.
    #expect(abs(try #require(series.halves) - 3) < 0.15)
    #expect(LatencySeries(text: series.text) == series)
    for text in [
      "", "1;1;", "1;2;3:4", "0;0;1:1", "1;1;a:1", "1;1;-1:1", "1;1;1", "1;1;1:1;", "99999999999999999999;1;1:1",
    ] {
      #expect(LatencySeries(text: text) == nil, "\(text)")
    }
  }

  @Test func `halves need eight stretches, and batches count by their operations`() {
    var series = LatencySeries()
    for _ in 1...7 { series.add(100) }
    #expect(series.halves == nil)
    series.add(100)
    #expect(series.halves == 1)
    var batches = LatencySeries()
    for batch in 1...100 { batches.add(batch <= 50 ? 1_000 : 2_000, operations: 10) }
    #expect(batches.length == 20 && batches.slowest.first == 100 && batches.slowest.last == 200)
    #expect(batches.halves == 2)
  }

  /// A log is emptied at each 100th operation, which takes 50 times as long.
  @Test func `latency over time marks the operations that took many times as long`() throws {
    func page(withSeries: Bool) throws -> [String] {
      var trials = SampleRun.trials
      for index in trials.indices where trials[index].cell == SampleRun.save(SampleRun.sqlite, 10_000) {
        guard let median = trials[index].timing?.p50, withSeries else { continue }
        var series = LatencySeries()
        for operation in 1...400 { series.add(Int64(median) * (operation.isMultiple(of: 100) ? 50 : 1)) }
        trials[index].timing?.series = series.text
      }
      return try SampleRun.model(trials: trials).document.sections.flatMap(\.charts)
        .filter { $0.id.hasSuffix("-over-time") }.map { $0.file() }
    }
    let pictures = try page(withSeries: true)
    #expect(pictures.count == 1)
    // The four operations lie in four different stretches of eight.
    #expect(pictures[0].components(separatedBy: "one operation took").count == 5)
    #expect(pictures[0].contains("400 operations: 8 times the median in 4 of 50 stretches"))
    #expect(try page(withSeries: false).isEmpty)
  }

  @Test func `a row is unsteady where all of the interval and the median say so`() {
    #expect(Steadiness(halves: [1.06, 1.07, 1.08, 1.09, 1.1, 1.2]) == .slower)
    #expect(Steadiness(halves: [0.8, 0.9, 0.9, 0.9, 0.94, 0.99]) == .faster)
    #expect(Steadiness(halves: [0.99, 1.07, 1.08, 1.09, 1.1, 1.2]) == .steady)
    #expect(Steadiness(halves: [1.01, 1.02, 1.03, 1.04, 1.05, 1.2]) == .steady)
    #expect(Steadiness(halves: [2, 2, 2, 2, 2]) == .steady, "five trials have no interval")
    #expect(Steadiness(halves: []) == .steady)
  }

  /// A row of usual trials of 1 µs and lengthened ones of 2 µs, each with the ratio of its halves.
  private func row(_ usual: [Double], _ lengthened: [Double]) -> SummaryRow {
    let cell = SampleRun.save(SampleRun.sqlite, 100)
    func trials(_ halves: [Double], _ time: Double, isLengthened: Bool) -> [Trial] {
      halves.enumerated().map { index, ratio in
        changed(.uniform(cell, round: index + 1, time)) { trial in
          trial.timing?.halves = ratio
          if isLengthened { trial.lengthened = true }
        }
      }
    }
    let all = trials(usual, 1_000, isLengthened: false) + trials(lengthened, 2_000, isLengthened: true)
    return ReportModel(plan: Plan(of: [cell]), trials: all).rows[0]
  }

  @Test func `trials that were lengthened take the place of those that were not steady`() {
    let slower = Array(repeating: 1.2, count: 6)
    let even = Array(repeating: 1.0, count: 6)
    let steady = row(even, [])
    #expect(steady.p50 == 1_000 && steady.processes == 6 && steady.note.isEmpty)
    #expect(row(slower, []).note == "not steady: gets slower")
    let again = row(slower, even)
    #expect(again.p50 == 2_000 && again.processes == 6 && again.operations == 60 && again.note.isEmpty)
    #expect(row(slower, slower).note == "not steady: gets slower" && row(slower, slower).p50 == 2_000)
    // An interrupted run.
    #expect(row(slower, [1, 1]).note == "2 of 6 rounds")
  }
}
