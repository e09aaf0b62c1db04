import StorageContract

/// How single operations spread: from process to process, and out to the slowest.
enum LatencySection: SectionBuilder {
  static func section(_ input: SectionInput) -> Section? {
    let rows = input.model.rows.filter { $0.status == .ok && $0.typicalTime != nil }
    guard !rows.isEmpty else { return nil }
    var section = Section(id: "latency", title: "Latency")
    section.lead = ["The median says what is usual; the tail says what a user notices: syncs and checkpoints."]
    section.charts = largest(input.model.groups).compactMap { chart($0, input) }
    section.tables = [
      Table(
        "All times",
        [
          .words("cell"), .number("p50"), .words("interval"), .number("p90"), .number("p99"), .number("p99.9"),
          .number("max"), .number("operations/s"), .number("CPU per operation"),
        ], rows.map(fields), isFolded: true)
    ]
    section.guide = [
      "Every dot is the median of one process; how far dots lie apart is what differs from run to run. The marks to the right are p90, p99 and p99.9, each taller than the one before, and the slowest operation of all as a crossed bar.",
      "p50 is the median of the processes' medians; p90 and beyond are of all operations, every process weighing the same. p99 needs 100 operations, p99.9 a thousand; where there are fewer, the field is empty (-). Nothing was dropped as an outlier.",
      "Operations of a mix are of several kinds: they have a rate together, and percentiles kind by kind.",
      "Operations that are too short for the clock are timed in batches: p50 is the median of their means, and there is no other percentile unless single operations were timed as well, in every process.",
    ]
    return section
  }

  private static func fields(_ row: SummaryRow) -> [Table.Field] {
    let interval = [
      Figure.time(row.p50Interval?.low, "p50_low_ns", of: row),
      Figure.time(row.p50Interval?.high, "p50_high_ns", of: row),
    ].compactMap { $0 }
    let rate = row.operationsPerSecond.map {
      Figure(NumberFormat.rate($0), $0, of: .init(cell: row.cell.name, column: "ops_per_s"))
    }
    return [
      .init("\(code: row.cell.name)"), .init(.time(row)),
      interval.count == 2 ? .init("\(interval[0]) to \(interval[1])") : .unmeasured,
      .init(.time(row.p90, "p90_ns", of: row)), .init(.time(row.p99, "p99_ns", of: row)),
      .init(.time(row.p999, "p999_ns", of: row)), .init(.time(row.max, "max_ns", of: row)), .init(rate),
      .init(.time(row.cpuPerOperation, "cpu_ns_per_op", of: row)),
    ]
  }

  /// Each workload and promise at its largest N.
  private static func largest(_ groups: [ComparisonGroup]) -> [ComparisonGroup] {
    groups.filter { group in
      group.rows.count { $0.p50 != nil } > 1
        && !groups.contains { other in
          other.records > group.records && other.hasSubject(of: group)
            && other.rows.contains { $0.p50 != nil }
        }
    }
  }

  private static func chart(_ group: ComparisonGroup, _ input: SectionInput) -> StripChart? {
    let rows = group.rows.filter { $0.p50 != nil }.map { row in
      let tail = [("p90", row.p90), ("p99", row.p99), ("p99.9", row.p999), ("max", row.max)]
      return StripChart.Row(
        name: Phrases.name(row), mark: input.mark(row.cell.backend),
        processes: row.rounds.values.map(\.typical).sorted(),
        tail: tail.compactMap { name, value in value.map { (name, $0) } }, text: NumberFormat.time(row.p50 ?? 0))
    }
    let words = rows.map { row in
      "\(row.name) p50 \(row.text)" + (row.tail.last.map { ", \($0.name) \(NumberFormat.time($0.value))" } ?? "")
    }
    return StripChart(
      id: GrowthCharts.id(group.pattern, "\(group.level?.rawValue ?? "reads")-latency"),
      title: "\(group.title): every process and the tail",
      summary: words.joined(separator: "; ") + ".",
      note: "Dots: medians of processes. Marks: p90, p99, p99.9; crossed bar: the slowest.", rows: rows,
      unit: { NumberFormat.tick(NumberFormat.time($0)) })
  }
}

extension ComparisonGroup {
  /// A cell of the group, without a backend.
  var pattern: Cell {
    Cell(
      backend: Spec(id: ""), workload: workload, records: records, recordBytes: recordBytes, durability: durability,
      threads: threads, cache: cache)
  }

  /// Whether another group differs in N only.
  func hasSubject(of other: ComparisonGroup) -> Bool {
    var mine = pattern
    mine.records = other.records
    return mine == other.pattern && level == other.level
  }
}

/// How operations of each backend spread: a dot for the median of each process, marks for the tail, on a logarithmic
/// axis. What differs from run to run and what is slow now and then are seen apart.
struct StripChart: Chart {
  /// One backend.
  struct Row: Sendable {
    var name: String
    var mark: SeriesMark
    /// The median of each process.
    var processes: [Double]
    /// Percentiles and the slowest, ascending: `("p90", 812000)`.
    var tail: [(name: String, value: Double)]
    /// The median in words, at the right.
    var text: String
  }

  var id: String
  var title: String
  var summary: String
  /// What the axis and the marks show.
  var note: String
  var rows: [Row]
  /// Writes a tick.
  var unit: @Sendable (Double) -> String

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let layout = RowLayout(names: rows.map(\.name), values: rows.map(\.text), width: canvas.width)
    let top = canvas.height + 4
    let bottom = top + layout.height
    let numbers = rows.flatMap { $0.processes + $0.tail.map(\.value) }
    guard let scale = LogScale(numbers, pixels: (layout.left + 6, layout.right - 6)) else { return }
    for tick in scale.ticks(across: unit) {
      layout.vertical(scale(tick), "grid", on: &canvas, top: top)
      canvas.text(unit(tick), x: scale(tick), y: bottom + 14, "tick", anchor: .middle)
    }
    for (index, row) in rows.enumerated() {
      let y = layout.row(index, row.text, on: &canvas, top: top)
      draw(row, at: y, on: &canvas, scale)
    }
    canvas.height = bottom + 22
  }

  private func draw(_ row: Row, at y: Double, on canvas: inout Canvas, _ scale: LogScale) {
    let text = Canvas.text
    if let first = row.processes.min(), let last = (row.tail.map(\.value) + row.processes).max() {
      canvas.line(scale(first), y, scale(last), y, "leader")
    }
    for (place, mark) in row.tail.enumerated() {
      // Taller is rarer; the slowest of all is a cross bar.
      let half = 3.0 + 1.5 * Double(place)
      let isLast = mark.name == "max"
      let path =
        isLast
        ? "M\(text(scale(mark.value))) \(text(y - 7))v14m-3 -14h6m-6 14h6"
        : "M\(text(scale(mark.value))) \(text(y - half))v\(text(2 * half))"
      canvas.add(
        Element(
          "path", ["class": "line \(row.mark.css)", "d": path],
          [Element("title", text: "\(row.name), \(mark.name): \(NumberFormat.time(mark.value))")]))
    }
    for process in row.processes {
      canvas.add(
        Element(
          "circle",
          ["class": row.mark.css, "cx": text(scale(process)), "cy": text(y), "r": "3", "fill-opacity": "0.45"],
          [Element("title", text: "\(row.name), median of one process: \(NumberFormat.time(process))")]))
    }
  }
}
