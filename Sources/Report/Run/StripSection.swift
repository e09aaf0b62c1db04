import StorageContract

/// The report section with bar charts that compare the times, the bytes written and the memory of backends.
enum StripSection {
  static func section(_ model: ReportModel) -> Section? {
    func series(_ workload: String) -> [CostSeries] {
      CostSeries.of(workload, in: model.series).filter { !$0.isFloor }
    }
    let (saves, launches, loads) = (series(CostSeries.signature), series("launch-warm"), series("load-all"))
    let isToScreen = launches.first?.pattern.workload.options.description == "until=screen"
    let bytes = amounts(
      saves.filter { $0.durability == saves.first?.durability }, "bytes", "Bytes that one save writes",
      "Counted once, with everything that is written later because of it.", model
    ) { $0.perOperation(\.bytesWrittenSettled) }
    let memory = amounts(
      loads, "memory", "Memory while loading all records", "Peak of anonymous memory above the start, taken once.",
      model
    ) { $0.cost?.peakAnonBytes.map(Double.init) }
    let charts: [(name: String, chart: IntervalChart?)] = [
      ("Save", times(saves, "save", "One small save", model)),
      ("Read", times(series("read-one"), "read", "Reading one record", model)),
      ("Load", times(loads, "load", "Loading all records", model)),
      ("Launch", times(launches, "launch", isToScreen ? "Launching, until the first screen" : "Launching", model)),
      ("Bytes", bytes), ("Memory", memory),
    ]
    let drawn = charts.filter { $0.chart != nil }
    guard drawn.count > 1 else { return nil }
    var section = Section(id: "strips", title: "At a glance")
    section.charts = drawn.compactMap(\.chart)
    section.switchNames = drawn.map(\.name)
    section.guide = [
      "Each picture shows one store size. The axis is logarithmic: equal distances are equal factors, and the length of a bar depends on the start of the axis. Read its end. The whisker is the interval of the median. Backends differ in what a power cut can take, so a shorter bar is no verdict: see What can be lost.",
      "\(Term.timedOnce.definition). \(Term.disturbed.definition). \(Term.emulated.definition).",
    ]
    return section
  }

  private static func marks(_ row: SummaryRow) -> [String] {
    [
      row.isTimedOnce ? Term.timedOnce.rawValue : nil, row.isDisturbed ? Term.disturbed.rawValue : nil,
      row.fidelity == .emulated ? Term.emulated.rawValue : nil,
    ].compactMap { $0 }
  }

  private static func times(_ series: [CostSeries], _ id: String, _ title: String, _ model: ReportModel)
    -> IntervalChart?
  {
    let time = { (row: SummaryRow) in row.status == .ok ? row.typicalTime : nil }
    var chart = chart(series, id, title, "Median time.", NumberFormat.time, time) { series, row, time in
      let loss = row.level == nil ? "" : ", after a power cut: \(series.afterPowerCut)"
      let name = series.name + (series.durability?.suffix ?? "")
      return .init(
        name: name, value: time, interval: row.p50Interval,
        text: ([NumberFormat.time(time)] + marks(row)).joined(separator: " "), mark: model.mark(series.backend),
        hover: "\(name): \(NumberFormat.time(time, row.p50Interval))\(loss)", cell: row.cell.name)
    }
    let isOnScreen = id != "launch" && id != "load"
    if isOnScreen, let rows = chart?.rows, rows.contains(where: { $0.value > SizeLimit.frame }) {
      chart?.note = "Median time. Shaded: under one frame (16.7 ms)."
      chart?.band = 0...SizeLimit.frame
    }
    return chart
  }

  private static func amounts(
    _ series: [CostSeries], _ id: String, _ title: String, _ note: String, _ model: ReportModel,
    _ amount: (SummaryRow) -> Double?
  ) -> IntervalChart? {
    let bytes = { (row: SummaryRow) in amount(row).flatMap { $0 > 0 ? $0 : nil } }
    return chart(series, id, title, note, NumberFormat.bytes, bytes) { series, row, bytes in
      let text = NumberFormat.bytes(bytes)
      return .init(
        name: series.name, value: bytes, text: text, mark: model.mark(series.backend),
        hover: "\(series.name): \(text)", cell: row.cell.name)
    }
  }

  /// Returns a chart of a value at one store size: 1,000 records or, if not measured, the largest. Nil for one bar.
  private static func chart(
    _ series: [CostSeries], _ id: String, _ title: String, _ note: String,
    _ unit: @escaping @Sendable (Double) -> String, _ value: (SummaryRow) -> Double?,
    _ bar: (CostSeries, SummaryRow, Double) -> IntervalChart.Row
  ) -> IntervalChart? {
    let sizes = Set(series.flatMap { $0.rows.filter { value($0) != nil }.map(\.cell.records) })
    guard let size = sizes.contains(1_000) ? 1_000 : sizes.max() else { return nil }
    let bars = series.compactMap { series in
      series.row(at: size).flatMap { row in value(row).map { bar(series, row, $0) } }
    }.sorted { $0.value < $1.value }
    guard bars.count > 1 else { return nil }
    return IntervalChart(
      id: "strip-\(id)", title: "\(title), \(Quantity.grouped(size)) records",
      summary: bars.map { "\($0.name) \($0.text)" }.joined(separator: "; ") + ".", note: note, rows: bars,
      unit: { NumberFormat.tick(unit($0)) }, hasBars: true)
  }
}
