import Foundation
import StorageContract
import StorageStatistics

/// The report section on the latency of single operations, and on its differences between measuring processes.
enum LatencySection {
  static func section(_ model: ReportModel) -> Section? {
    let rows = model.rows.filter { $0.status == .ok && $0.typicalTime != nil }
    guard !rows.isEmpty else { return nil }
    var section = Section(id: "latency", title: "Latency")
    section.lead = ["The median says what is usual; the tail says what a user notices: syncs and checkpoints."]
    section.lists = [.init(title: "Where the mean and the median differ", items: MeanSentences.all(rows), media: .page)]
    let timed = model.groups.filter { $0.rows.contains { $0.p50 != nil } }
    let groups = timed.largest.filter { $0.rows.count { $0.p50 != nil } > 1 }
    section.charts = groups.compactMap { chart($0, model) } + groups.compactMap { course($0, model) }
    section.tables = [
      Table(
        "All times", of: rows,
        [
          .cell, .p50, .words("interval", interval), .number("mean") { Figure.time($0.mean, "mean_ns", of: $0) },
          .words("slowest", MeanSentences.slowest), .number("p90") { Figure.time($0.p90, "p90_ns", of: $0) },
          .p99, .number("p99.9") { Figure.time($0.p999, "p999_ns", of: $0) }, .max,
          .number("operations/s", Figure.rate),
          .number("CPU per operation") { Figure.time($0.cpuPerOperation, "cpu_ns_per_op", of: $0) },
        ], isFolded: true)
    ]
    section.guide = [
      "A shape shows how many operations took how long; its height is the square root of their number, so that rare ones can be seen. The tall line is the median, a diamond the mean where it differs, the short mark p99 and the crossed bar the slowest. The dots are the medians of processes: how far they lie apart is what differs from run to run.",
      "There are dots only where operations were too short to be timed one by one (\(code: "batched")), where one was enough (\(code: "×1")), or where there were fewer than \(fewestForShape).",
      "p50 is the median of the processes' medians; the mean is the time of all operations by their number. A sentence names both where the mean is over \(NumberFormat.fixed(MeanRule.factor, 2)) times the median in three of four processes, of \(MeanRule.fewestSamples) operations or more. \(code: "slowest") is the smallest round share of the operations that makes up most of the difference, and their share of the time.",
      "p90 and beyond are of all operations, every process weighing the same. p99 needs 100 operations, p99.9 a thousand; where there are fewer, the field is empty (-). Nothing was dropped as an outlier.",
      "Operations of a mix are of several kinds: they have a rate together, and percentiles kind by kind.",
      "Operations that are too short for the clock are timed in batches: p50 is the median of their means, and there is no other percentile unless single operations were timed as well, in every process.",
    ]
    return section
  }

  private static func interval(_ row: SummaryRow) -> RichText? {
    guard let low = Figure.time(row.p50Interval?.low, "p50_low_ns", of: row),
      let high = Figure.time(row.p50Interval?.high, "p50_high_ns", of: row)
    else { return nil }
    return "\(low) to \(high)"
  }

  /// The minimum number of operations for drawing the distribution of latencies as a shape. Fewer would look like
  /// points.
  private static let fewestForShape = 30

  private static func chart(_ group: ComparisonGroup, _ model: ReportModel) -> DistributionChart? {
    let rows = group.rows.filter { $0.p50 != nil }.map { row in
      let hasShape = row.operations >= fewestForShape && !row.isTimedOnce
      return DistributionChart.Row(
        row: row, mark: model.mark(row.cell.backend), shape: hasShape ? row.histogram : nil,
        why: row.isTimedOnce
          ? "×1" : row.isBatched ? "batched" : hasShape ? "" : Quantity.counted(row.operations, "operation"))
    }
    return DistributionChart(
      id: group.pattern.chartID("\(group.level?.rawValue ?? "reads")-latency"),
      title: "\(group.title): how long operations took",
      note: "Height: how many operations took that long (square root). Tall line: median; diamond: mean, where it "
        + "differs. Short mark: p99; crossed bar: the slowest. Dots: medians of processes.", rows: rows)
  }

  /// Returns a chart of the latency of saves over time. Nil for reads, or if no such latencies were recorded.
  private static func course(_ group: ComparisonGroup, _ model: ReportModel) -> CourseChart? {
    guard group.durability != nil else { return nil }
    let rows = group.rows.filter { !$0.isFloor }
      .compactMap { CourseChart.Row($0, name: Phrases.name($0), mark: model.mark($0.cell.backend)) }
    guard !rows.isEmpty else { return nil }
    return CourseChart(
      id: group.pattern.chartID("\(group.level?.rawValue ?? "reads")-over-time"),
      title: "\(group.title): latency over time", rows: rows)
  }
}

/// Sentences on backends whose mean time per operation is much longer than the median.
enum MeanSentences {
  static let most = 8

  static func all(_ rows: [SummaryRow]) -> [RichText] {
    let works = rows.filter(\.meanDiffers).grouped { row in
      [row.cell.with { $0.records = 0 }.name, row.machine]
    }
    let found = works.map { _, members in members.sorted { factor($0) > factor($1) } }
    return found.sorted { factor($0[0]) > factor($1[0]) }.prefix(most).map { members in
      let others = members.dropFirst().map(\.cell.records).sorted().map(Quantity.grouped)
      let further: RichText = others.isEmpty ? "" : " The same holds at \(Phrases.list(others)) records."
      return sentence(members[0]) + further
    }
  }

  /// Returns a text on the slowest operations: `2 % take 31 %` means that 2 % of the operations take 31 % of the time.
  /// May be empty.
  static func slowest(_ row: SummaryRow) -> String {
    guard row.meanDiffers, let slowest = row.histogram.flatMap(SlowestShare.init) else { return "" }
    return "\(share(slowest.operations)) take \(NumberFormat.percent(slowest.time))"
  }

  private static func sentence(_ row: SummaryRow) -> RichText {
    guard let mean = Figure.time(row.mean, "mean_ns", of: row), let median = Figure.time(row) else { return "" }
    let work = [row.task, "\(Quantity.grouped(row.cell.records)) records", row.cell.durability?.words].compactMap { $0 }
    let what: RichText =
      "\(strong: Phrases.name(row)) (\(work.joined(separator: ", "))): the mean is \(mean), the median \(median)"
    guard let slowest = row.histogram.flatMap(SlowestShare.init) else {
      return what + (row.isBatched ? " of batches." : ".")
    }
    return what
      + "; the slowest \(share(slowest.operations)) of the operations take \(NumberFormat.percent(slowest.time)) of the time\(syncs(row, slowest))."
  }

  private static func syncs(_ row: SummaryRow, _ slowest: SlowestShare) -> String {
    guard let syncs = row.perOperation(\.syncs), syncs > 0, syncs < 1,
      (0.5...2).contains(slowest.operations / syncs)
    else { return "" }
    return ", about as many as sync (\(NumberFormat.perOperation(syncs)) syncs per operation)"
  }

  private static func factor(_ row: SummaryRow) -> Double { (row.mean ?? 0) / (row.p50 ?? 1) }

  private static func share(_ share: Double) -> String { "\(NumberFormat.plain(share * 100)) %" }
}

extension [ComparisonGroup] {
  /// The groups without those for which another group has more records, and the same workload, conditions, durability
  /// and safety level.
  var largest: [ComparisonGroup] {
    filter { group in
      !contains { other in
        other.records > group.records && other.level == group.level
          && other.pattern == group.pattern.with { $0.records = other.records }
      }
    }
  }
}

/// A chart of latency distributions: a histogram for each backend, with marks for the median, the mean, the 99th
/// percentile and the slowest operation.
struct DistributionChart: Chart {
  /// The latencies of one backend, in nanoseconds, as a row of the chart.
  struct Row: Sendable {
    var row: SummaryRow
    var mark: SeriesMark
    var shape: SparseHistogram?
    /// The reason why the backend has no histogram, such as `batched` (timed in batches). Empty if there is one.
    var why: String

    var name: String { Phrases.name(row) }
    var median: Double { row.p50 ?? 0 }
    var processes: [Double] { row.rounds.values.map(\.typical).sorted() }
    /// The smallest value of the histogram.
    var first: Double? { shape?.buckets.first.map { Double($0.value) } }
    /// The largest value of the histogram.
    var last: Double? { shape?.buckets.last.map { Double($0.value) } }

    func words(_ shown: [String]) -> String {
      let times = [("median", median), ("mean", row.mean), ("p99", row.p99), ("slowest", row.max)]
      return times.filter { shown.contains($0.0) }
        .compactMap { name, time in time.map { "\(name) \(NumberFormat.time($0))" } }.joined(separator: ", ")
    }
  }

  var id: String
  var title: String
  var note: String
  var rows: [Row]

  static let mostBins = 60.0
  /// The smallest width of a histogram bin, as the ratio of its ends. Narrower bins would show ticks of the clock.
  static let leastStep = 1.05
  /// The height of a drawn latency distribution at its peak, in pixels.
  static let tallest = 17.0

  var summary: String {
    rows.map { row in
      let words = row.words(["median", "mean", row.row.p99 == nil ? "slowest" : "p99"])
      return "\(row.name) \(words)\(row.why.isEmpty ? "" : ", \(row.why)")"
    }.joined(separator: "; ") + "."
  }

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let values = rows.map { NumberFormat.time($0.median) }
    let layout = RowLayout(names: rows.map(\.name), values: values, below: canvas, lineHeight: 32)
    let numbers = rows.flatMap { row in
      row.processes + [row.first, row.last, row.row.mean, row.row.p99, row.row.max].compactMap { $0 }
    }
    guard let scale = LogScale(numbers, pixels: (layout.left + 6, layout.right - 6)) else { return }
    let unit = { NumberFormat.tick(NumberFormat.time($0)) }
    for tick in scale.ticks(across: unit) { layout.tick(scale(tick), unit(tick), on: &canvas) }
    for (index, row) in rows.enumerated() {
      let y = layout.row(index, values[index], on: &canvas) + 6
      draw(row, on: &canvas, y, scale)
    }
    canvas.height = layout.bottom + 22
  }

  private func draw(_ row: Row, on canvas: inout Canvas, _ y: Double, _ scale: LogScale) {
    let text = Canvas.text
    let ends = row.processes + [row.row.p99, row.row.max, row.first].compactMap { $0 }
    guard let first = ends.min(), let last = ends.max() else { return }
    let hover = "\(row.name): \(row.words(["median", "mean", "p99", "slowest"]))"
    canvas.line(scale(first), y, scale(last), y, "leader")
    if let shape = row.shape {
      canvas.path(Self.path(shape, on: y, scale), "ridge \(row.mark.css)", hover: hover)
    }
    if let p99 = row.row.p99 { canvas.path("M\(text(scale(p99))) \(text(y - 5))v7", "line \(row.mark.css)") }
    if let slowest = row.row.max {
      canvas.path("M\(text(scale(slowest))) \(text(y - 5))v10m-3 -10h6m-6 10h6", "line \(row.mark.css)")
    }
    canvas.line(scale(row.median), y - Self.tallest, scale(row.median), y + 2, "median")
    if row.row.meanDiffers, let mean = row.row.mean {
      canvas.path("M\(text(scale(mean))) \(text(y - 5))l5 5-5 5-5 -5z", "mean", hover: hover)
    }
    let dots = row.processes.map { Element("circle", ["cx": text(scale($0)), "cy": text(y + 6), "r": "2.5"]) }
    canvas.add(
      Element(
        "g", ["class": "dots \(row.mark.css)"], [Element("title", text: "\(row.name): medians of processes")] + dots))
    guard !row.why.isEmpty else { return }
    let room = Canvas.width(of: row.why, size: 11) + 10
    if scale(last) + room < scale.pixels.1 {
      canvas.text(row.why, x: scale(last) + 10, y: y + 4, "tick")
    } else if scale(first) - room > scale.pixels.0 {
      canvas.text(row.why, x: scale(first) - 10, y: y + 4, "tick", anchor: .end)
    } else {
      canvas.text(row.why, x: (scale(row.median) + scale(last)) / 2, y: y - 7, "tick", anchor: .middle)
    }
  }

  /// Returns the outline of a distribution as an SVG path. The square roots of shares make rare latencies visible.
  static func path(_ shape: SparseHistogram, on y: Double, _ scale: LogScale) -> String {
    let text = Canvas.text
    let range = scale.domain
    let steps = log(range.upperBound / range.lowerBound) / log(leastStep)
    let shares = shape.shares(inBins: Int(min(mostBins, max(1, steps))), from: range)
    let width = (scale.pixels.1 - scale.pixels.0) / Double(shares.count)
    guard let most = shares.max(), most > 0 else { return "" }
    var path = ""
    for (bin, share) in shares.enumerated() where share > 0 {
      let left = scale.pixels.0 + Double(bin) * width
      if bin == 0 || shares[bin - 1] == 0 { path += "M\(text(left)) \(text(y))" }
      path += "L\(text(left + width / 2)) \(text(y - max(1, tallest * (share / most).squareRoot())))"
      if bin == shares.count - 1 || shares[bin + 1] == 0 { path += "L\(text(left + width)) \(text(y))z" }
    }
    return path
  }
}
