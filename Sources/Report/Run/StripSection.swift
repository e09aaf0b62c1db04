import StorageContract

/// The report section with bar charts that compare the times, the bytes written and the memory of backends.
enum StripSection {
  static func section(_ input: SectionInput) -> Section? {
    func series(_ workload: String) -> [CostSeries] {
      CostSeries.of(workload, in: input.model.series).filter { !$0.isFloor }
    }
    let (saves, launches, loads) = (series(CostSeries.signature), series("launch-warm"), series("load-all"))
    let isToScreen = launches.first?.pattern.workload.options.description == "until=screen"
    let charts: [(name: String, chart: IntervalChart?)] = [
      ("Save", times(saves, "save", "One small save", input)),
      ("Read", times(series("read-one"), "read", "Reading one record", input)),
      ("Load", times(loads, "load", "Loading all records", input)),
      ("Launch", times(launches, "launch", isToScreen ? "Launching, until the first screen" : "Launching", input)),
      (
        "Bytes",
        amounts(
          saves.filter { $0.durability == saves.first?.durability }, "bytes", "Bytes that one save writes",
          "Counted once, with everything that is written later because of it.",
          { $0.perOperation(\.bytesWrittenSettled) }, input)
      ),
      (
        "Memory",
        amounts(
          loads, "memory", "Memory while loading all records",
          "Peak of anonymous memory above the start, taken once.",
          { $0.cost?.peakAnonBytes.map(Double.init) }, input)
      ),
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

  private static func size(_ series: [CostSeries], _ isSeen: (SummaryRow) -> Bool) -> Int? {
    let sizes = Set(series.flatMap { $0.rows.filter(isSeen).map(\.cell.records) })
    return sizes.contains(1_000) ? 1_000 : sizes.max()
  }

  private static func marks(_ row: SummaryRow) -> [String] {
    [
      row.isTimedOnce ? Term.timedOnce.rawValue : nil, row.isDisturbed ? Term.disturbed.rawValue : nil,
      row.fidelity == .emulated ? Term.emulated.rawValue : nil,
    ].compactMap { $0 }
  }

  private static func times(_ series: [CostSeries], _ id: String, _ title: String, _ input: SectionInput)
    -> IntervalChart?
  {
    guard let size = size(series, { $0.status == .ok && $0.typicalTime != nil }) else { return nil }
    let bars = series.compactMap { series -> IntervalChart.Row? in
      guard let row = series.row(at: size), row.status == .ok, let time = row.typicalTime else { return nil }
      let loss = row.level == nil ? "" : ", after a power cut: \(series.afterPowerCut)"
      let name = series.name + (series.durability?.suffix ?? "")
      return .init(
        name: name, value: time, interval: row.p50Interval,
        text: ([NumberFormat.time(time)] + marks(row)).joined(separator: " "), mark: input.mark(series.backend),
        hover: "\(name): \(NumberFormat.time(time, row.p50Interval))\(loss)", cell: row.cell.name)
    }
    let isOnScreen = id != "launch" && id != "load"
    let isShaded = isOnScreen && bars.contains { $0.value > SizeLimit.frame }
    return chart(
      bars, id, "\(title), \(Quantity.grouped(size)) records",
      isShaded ? "Median time. Shaded: under one frame (16.7 ms)." : "Median time.",
      { NumberFormat.tick(NumberFormat.time($0)) }, limit: isShaded ? SizeLimit.frame : nil)
  }

  private static func amounts(
    _ series: [CostSeries], _ id: String, _ title: String, _ note: String, _ value: (SummaryRow) -> Double?,
    _ input: SectionInput
  ) -> IntervalChart? {
    guard let size = size(series, { (value($0) ?? 0) > 0 }) else { return nil }
    let bars = series.compactMap { series -> IntervalChart.Row? in
      guard let row = series.row(at: size), let bytes = value(row), bytes > 0 else { return nil }
      let text = NumberFormat.bytes(bytes)
      return .init(
        name: series.name, value: bytes, text: text, mark: input.mark(series.backend),
        hover: "\(series.name): \(text)", cell: row.cell.name)
    }
    return chart(
      bars, id, "\(title), \(Quantity.grouped(size)) records", note,
      { NumberFormat.tick(NumberFormat.bytes($0)) }, limit: nil)
  }

  private static func chart(
    _ bars: [IntervalChart.Row], _ id: String, _ title: String, _ note: String,
    _ unit: @escaping @Sendable (Double) -> String, limit: Double?
  ) -> IntervalChart? {
    guard bars.count > 1 else { return nil }
    let sorted = bars.sorted { $0.value < $1.value }
    return IntervalChart(
      id: "strip-\(id)", title: title, summary: sorted.map { "\($0.name) \($0.text)" }.joined(separator: "; ") + ".",
      note: note, rows: sorted, unit: unit, band: limit.map { 0...$0 }, hasBars: true)
  }
}
