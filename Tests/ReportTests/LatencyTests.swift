import Foundation
@testable import TestSupport
@testable import check_run
import StorageContract
import StorageRunFiles
import StorageStatistics
import Testing

@testable import StorageReport

/// The section on single operations: the shape of each row, and its mean if that differs from the median.
@Suite struct LatencyTests {
  /// The times of a trial's operations in nanoseconds, each with its count.
  typealias Buckets = [(value: UInt64, count: UInt64)]

  /// 2 % take 25 times as long as the others, as checkpoints do.
  private static let heavy: Buckets = [(15_000, 300), (16_000, 190), (400_000, 10)]
  private static let even: Buckets = [(9_000, 100), (10_000, 300), (11_000, 100)]

  private static func histogram(_ buckets: Buckets) -> SparseHistogram {
    changed(SparseHistogram()) { $0.merge(buckets) }
  }

  private static func trial(_ cell: Cell, _ round: Int, _ buckets: Buckets) -> Trial {
    let count = buckets.reduce(0) { $0 + Int($1.count) }
    let histogram = histogram(buckets)
    return .timed(
      cell, round: round,
      Timing(
        operations: count, elapsed: Int64(histogram.sum(ofLargest: Double(count))), cpu: 1,
        min: Int64(buckets[0].value), max: Int64(buckets[buckets.count - 1].value),
        p25: Double(histogram.percentile(0.25) ?? 0), p50: Double(histogram.percentile(0.5) ?? 0),
        histogram: HistogramText(buckets).text, clock: 25))
  }

  private static func counted(_ cell: Cell, syncs: Int) -> Trial {
    .counted(cell, operations: 1000) { ($0.syncs, $0.syncsSettled) = (syncs, syncs) }
  }

  private func section(_ cells: [Cell], _ trials: [Trial], rounds: Int = 6) throws -> Section {
    try #require(try SampleRun.section("latency", plan: Plan(of: cells, rounds: rounds), trials: trials))
  }

  private func sentences(_ cells: [Cell], _ trials: [Trial], rounds: Int = 6) throws -> [String] {
    try section(cells, trials, rounds: rounds).sentences
  }

  private func rounds(_ cell: Cell, _ buckets: Buckets, _ rounds: ClosedRange<Int> = 1...6) -> [Trial] {
    rounds.map { Self.trial(cell, $0, buckets) }
  }

  // MARK: Mean beside median

  @Test func `a heavy tail is in a sentence and in the table`() throws {
    let cell = Cell("sqlite")
    let section = try section([cell], rounds(cell, Self.heavy))
    // 300 x 15 + 190 x 16 + 10 x 400 µs is 11,540 µs, of which 4,000 are those of the slowest ten.
    #expect(
      section.sentences == [
        "sqlite (save-one, 10,000 records, as shipped): the mean is 23 µs, the median 15 µs; the slowest 2 % of the operations take 35 % of the time."
      ])
    #expect(section.lists[0].media == .page)
    let table = section.tables[0]
    let fields = Dictionary(uniqueKeysWithValues: zip(table.columns.map(\.title), table.texts[0]))
    #expect(fields["p50"] == "15 µs" && fields["mean"] == "23 µs" && fields["slowest"] == "2 % take 35 %")
  }

  @Test func `a symmetric row, one disturbed process and few operations give no sentence`() throws {
    let cell = Cell("sqlite")
    #expect(try sentences([cell], rounds(cell, Self.even)) == [])
    // The process is so slow that the mean of all is far from the median.
    let disturbed = rounds(cell, Self.even, 1...5) + rounds(cell, [(10_000, 400), (2_000_000, 100)], 6...6)
    #expect(try sentences([cell], disturbed) == [])
    let few: Buckets = [(15_000, 15), (400_000, 1)]
    #expect(try sentences([cell], rounds(cell, few)) == [])
    #expect(try sentences([cell], rounds(cell, few.map { ($0.value, $0.count * 10) })).count == 1)
    #expect(try sentences([cell], rounds(cell, Self.heavy, 1...1), rounds: 1) == [])
    let table = try section([cell], rounds(cell, Self.even)).tables[0]
    #expect(table.rows[0][table.columns.firstIndex { $0.title == "slowest" } ?? 0] == .unmeasured)
  }

  @Test func `batches have a sentence if their own means differ`() throws {
    let cell = Cell("lmdb")
    func batched(_ mean: Double, operations: Int = 100_000) -> [Trial] {
      rounds(cell, Self.heavy).map {
        $0.withTiming {
          ($0.batch, $0.p25, $0.p50) = (100, 30, 30)
          ($0.operations, $0.elapsed) = (operations, Int64(mean * Double(operations)))
        }
      }
    }
    #expect(try sentences([cell], batched(31)) == [])
    #expect(
      try sentences([cell], batched(60)) == [
        "lmdb (save-one, 10,000 records, as shipped): the mean is 60 ns, the median 30 ns of batches."
      ])
    // Sixty batches in all.
    #expect(try sentences([cell], batched(60, operations: 1000)) == [])
  }

  @Test(arguments: [(20, true), (10, true), (5, false), (1000, false), (0, false)])
  func `a cause is told only where the counts show it`(syncs: Int, isCause: Bool) throws {
    let cell = Cell("sqlite")
    let trials = rounds(cell, Self.heavy) + [Self.counted(cell, syncs: syncs)]
    let text = try #require(try sentences([cell], trials).first)
    #expect(text.contains("sync") == isCause, "\(text)")
    if syncs == 20 {
      #expect(text.hasSuffix("35 % of the time, about as many as sync (0.02 syncs per operation)."))
    }
  }

  @Test func `the largest difference comes first, sizes share a sentence, and there are at most eight`() throws {
    func tail(_ times: UInt64) -> Buckets { [(10_000, 490), (10_000 * times, 10)] }
    let cells = (0..<10).map { Cell("b\($0)") } + [100, 1000].map { Cell("b5", records: $0) }
    let trials = cells.enumerated().flatMap { index, cell in rounds(cell, tail(UInt64(30 + index))) }
    let found = try section(cells, trials)
    let texts = found.sentences
    #expect(texts.map { String($0.prefix(2)) } == ["b5", "b9", "b8", "b7", "b6", "b4", "b3", "b2"])
    #expect(texts[0].hasPrefix("b5 (save-one, 1,000 records, as shipped): "))
    #expect(texts[0].hasSuffix(" The same holds at 100 and 10,000 records."))
    let column = try #require(found.tables[0].columns.firstIndex { $0.title == "slowest" })
    #expect(found.tables[0].texts.count { $0[column].hasPrefix("2 % take") } == 12)
  }

  @Test func `the mean is exact, and of threads and schedules that of the latencies`() throws {
    let (alone, four) = (Cell("sqlite"), Cell("sqlite", threads: 4))
    // One process was faster and did more. All operations have the same weight.
    let uneven = rounds(alone, Self.even, 1...1) + rounds(alone, [(4_000, 1500)], 2...2)
    var side = rounds(four, Self.heavy, 1...2)
    // Four at once take a quarter of the time.
    for index in side.indices { side[index].timing?.elapsed /= 4 }
    let trials = uneven + side
    let rows = try SampleRun.model(plan: Plan(of: [alone, four], rounds: 2), trials: trials).rows
    #expect(rows[0].mean == 5500.0)
    #expect(rows[1].mean == 23_080)
    #expect(rows[1].meanDiffers)
    #expect(SummaryCSV.text(rows).contains(",23080,,,0,,,\n"))
    func late(elapsed: Int64) throws -> SummaryRow {
      let trials = rounds(alone, Self.heavy, 1...2).map { $0.withTiming { ($0.rate, $0.elapsed) = (1000, elapsed) } }
      return try SampleRun.model(plan: Plan(of: [alone], rounds: 2), trials: trials).rows[0]
    }
    let onTime = try late(elapsed: 500_000_000)
    #expect(onTime.mean == 23_080 && onTime.meanDiffers)
    // The queue grows, so latencies depend on the length of the trial.
    let behind = try late(elapsed: 1_000_000_000)
    #expect(behind.fellBehind && !behind.meanDiffers)
  }

  // MARK: Shapes

  /// Returns the peaks of an outline. A flat one counts at its middle.
  private func peaks(_ path: String) -> [(x: Double, height: Double)] {
    let points = path.matches(of: /[ML]([\d.]+) ([\d.]+)/).compactMap { match -> (x: Double, height: Double)? in
      guard let x = Double(match.1), let y = Double(match.2) else { return nil }
      return (x, 100 - y)
    }
    var flats: [(from: Double, to: Double, height: Double)] = []
    for point in points {
      if let last = flats.last, last.height == point.height {
        flats[flats.count - 1].to = point.x
      } else {
        flats.append((point.x, point.x, point.height))
      }
    }
    return flats.indices.filter { index in
      [index - 1, index + 1].allSatisfy { !flats.indices.contains($0) || flats[$0].height < flats[index].height }
    }.map { ((flats[$0].from + flats[$0].to) / 2, flats[$0].height) }
  }

  @Test func `a shape of two modes has its two peaks where they are`() throws {
    var random = SplitMix64(seed: 4)
    var counts: [UInt64: UInt64] = [:]
    // Nine of ten at 20 µs, the others at 1 ms, 10 % wide each.
    for operation in 0..<100_000 {
      let middle = operation.isMultiple(of: 10) ? 1e6 : 2e4
      counts[UInt64(middle * exp(0.1 * random.normal())), default: 0] += 1
    }
    let histogram = Self.histogram(counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    let scale = try #require(LogScale([1e4, 1e7], pixels: (100, 400), margin: 0))
    let path = DistributionChart.path(histogram, on: 100, scale)
    let found = peaks(path).filter { $0.height > 1.5 }
    try #require(found.count == 2, "\(path)")
    // A bin is 300 / 60 pixels wide; the middle of a mode may lie at the edge of one.
    #expect(abs(found[0].x - scale(2e4)) <= 5 && abs(found[1].x - scale(1e6)) <= 5, "\(found)")
    #expect(found[0].height == DistributionChart.tallest)
    // Square roots: a ninth as many are a third as high.
    #expect(abs(found[1].height / found[0].height - 1.0 / 3) < 0.05, "\(found)")
    // Between the two nothing is drawn.
    #expect(path.count { $0 == "M" } >= 2 && path.count { $0 == "z" } == path.count { $0 == "M" })
  }

  @Test func `a rare operation is visible, and no shape has more than 60 points above its line`() throws {
    func path(_ buckets: Buckets, from low: Double, to high: Double) throws -> String {
      let scale = try #require(LogScale([low, high], pixels: (100, 400), margin: 0))
      return DistributionChart.path(Self.histogram(buckets), on: 100, scale)
    }
    func points(_ path: String) -> Int { path.matches(of: /[ML][\d.]+ ([\d.]+)/).count { $0.1 != "100" } }
    let many = (0..<6000).map { (value: UInt64(1000 * pow(1.0023, Double($0))), count: 1 + UInt64($0 % 7)) }
    let wide = try path(many, from: 1e3, to: 1e9)
    #expect(points(wide) == 60)
    #expect(!wide.contains { $0 == "e" || $0 == "-" } && wide.firstMatch(of: /\.\d\d/) == nil)
    let rare = try path([(2_000, 1_000_000), (90_000_000, 1)], from: 1e3, to: 1e9)
    #expect(rare.contains(" 99L"), "\(rare)")
    // On a narrow axis bins are no narrower than the ticks of a clock.
    #expect(points(try path((1000...1600).map { (value: $0, count: 1) }, from: 1000, to: 1600)) == 9)
  }

  @Test func `rows that were timed by few operations have dots and say why`() throws {
    let cells = ["a", "b", "c", "d"].map { Cell($0) }
    var trials = rounds(cells[0], Self.heavy)
    trials += rounds(cells[1], [(20_000, 2)])
    trials += rounds(cells[2], Self.even).map { $0.withTiming { $0.batch = 100 } }
    trials.append(changed(Self.trial(cells[3], 1, [(900_000_000, 1)])) { $0.timedOnce = true })
    let charts = try section(cells, trials).charts
    let chart = try #require(charts.first as? DistributionChart)
    #expect(charts.count == 1)
    #expect(chart.rows.map(\.why) == ["", "12 operations", "batched", "×1"])
    #expect(chart.rows.map { $0.shape != nil } == [true, false, false, false])
    #expect(chart.rows.map { $0.processes.count } == [6, 6, 6, 1])
    #expect(chart.rows.map(\.row.meanDiffers) == [true, false, false, false])
    let file = chart.file()
    #expect(file.components(separatedBy: "class=\"ridge").count == 2)
    #expect(file.components(separatedBy: "class=\"mean\"").count == 2)
    #expect(file.components(separatedBy: "<circle").count == 20)
    #expect(
      chart.summary.hasPrefix("a median 15 µs, mean 23 µs, p99 400 µs; b median 20 µs, mean 20 µs, slowest 20 µs, "))
    #expect(
      chart.summary.hasSuffix(
        "12 operations; c median 10 µs, mean 10 µs, p99 11 µs, batched; d median 900 ms, mean 900 ms, slowest 900 ms, ×1."
      ))
  }

  /// A text of the page, the planted one, and a part of the problem that check-run must report.
  private static let plants: [(old: String, new: String, problem: String)] = [
    ("23 µs</data>, the median", "33 µs</data>, the median", "the mean is"),
    ("the slowest 2 % of", "the slowest 20 % of", "% of the time"),
    ("operations take 35 % of", "operations take 45 % of", "% of the time"),
    ("(0.02 syncs per", "(0.5 syncs per", "0.02 syncs an operation"),
    ("<strong>object-graph</strong> (save-one, 10,000", "<strong>plist</strong> (save-one, 10,000", "does not differ"),
    ("The same holds at 1,000", "The same holds at 100", "does not hold at 100 records"),
    ("2 % take 35 %", "5 % take 35 %", "% of the time"),
    ("<h3>Where the mean", "<h3>How the mean", "nothing says so"),
    ("mean_ns\">10 µs</data>", "mean_ns\">20 µs</data>", "the mean is"),
  ]

  @Test func `a planted contradiction about means is found`() throws {
    let heavy = [Cell("object-graph"), Cell("object-graph", records: 1000)]
    let cells = heavy + [Cell("plist"), Cell("object-graph", records: 100)]
    let trials = cells.flatMap { cell in
      rounds(cell, heavy.contains(cell) ? Self.heavy : Self.even) + [Self.counted(cell, syncs: 20)]
    }
    try SampleRun.withModel(plan: Plan(of: cells), trials: trials) { model, url in
      try model.write(formats: ReportFormats.withoutImage)
      func problems() throws -> [String] { try RunChecks.problems(FinishedRun(url)).filter { $0.hasPrefix("latency") } }
      #expect(try problems() == [])
      let file = url.appendingPathComponent("report.html")
      let text = try url.text("report.html")
      let start = try #require(text.range(of: "id=\"latency\""))
      for plant in Self.plants {
        let range = try #require(text.range(of: plant.old, range: start.upperBound..<text.endIndex), "\(plant.old)")
        try Data(text.replacingCharacters(in: range, with: plant.new).utf8).write(to: file)
        let found = try problems()
        #expect(found.contains { $0.contains(plant.problem) }, "\(plant.new): \(found)")
      }
    }
  }
}
