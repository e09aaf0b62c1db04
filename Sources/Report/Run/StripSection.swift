import StorageContract

/// One picture for each headline question, with a bar for each backend: saves, reads, launches, loading everything, bytes
/// and memory.
enum StripSection: SectionBuilder {
  static let tab: Tab? = nil

  static func section(_ input: SectionInput) -> Section? {
    let saves = CostSeries.saves(in: input.model.series).filter { !$0.isFloor }
    let charts =
      [times(saves, "save", "One small save", input)]
      + [("read-one", "read", "Reading one record"), ("launch-warm", "launch", "Launching, until the first screen")]
      .map { workload, id, title in
        times(series(input.model, workload), id, title, input)
      } + [
        times(series(input.model, "load-all"), "load", "Loading all records", input),
        amounts(
          saves.filter { $0.durability == .shipped }, "bytes", "Bytes that one save writes",
          { $0.perOperation(\.bytesWrittenSettled) }, input),
        amounts(
          series(input.model, "load-all"), "memory", "Memory while loading all records",
          { $0.cost?.peakAnonBytes.map(Double.init) }, input),
      ]
    var section = Section(id: "strips", title: "At a glance")
    section.charts = charts.compactMap { $0 }
    guard section.charts.count > 1 else { return nil }
    section.isOpenOnPhones = true
    section.guide = [
      "Each picture shows one store size. The axis is logarithmic: equal distances are equal factors. The whisker is the interval of the median. Backends differ in what a power cut can take: see Safety."
    ]
    return section
  }

  private static func series(_ model: ReportModel, _ workload: String) -> [CostSeries] {
    let all = model.series.filter { $0.pattern.workload.id == workload && !$0.isFloor }
    guard let first = all.first else { return [] }
    return all.filter { $0.pattern.workload == first.pattern.workload }
  }

  /// Returns the size of the calculator's first answer, or the largest one.
  private static func size(_ series: [CostSeries], _ isSeen: (SummaryRow) -> Bool) -> Int? {
    let sizes = Set(series.flatMap { $0.rows.filter(isSeen).map(\.cell.records) })
    return sizes.contains(1_000) ? 1_000 : sizes.max()
  }

  private static func times(_ series: [CostSeries], _ id: String, _ title: String, _ input: SectionInput) -> StripChart?
  {
    guard let size = size(series, { $0.status == .ok && $0.typicalTime != nil }) else { return nil }
    let bars = series.compactMap { series -> StripChart.Bar? in
      guard let row = series.row(at: size), row.status == .ok, let time = row.typicalTime else { return nil }
      let error = row.p50Interval.map { " (\(NumberFormat.time($0.low)) to \(NumberFormat.time($0.high)))" } ?? ""
      let loss = row.level == nil ? "" : ", after a power cut: \(series.afterPowerCut)"
      let level = series.durability.flatMap { $0 == .shipped ? nil : " (\($0.rawValue))" } ?? ""
      return .init(
        name: series.name + level, mark: input.mark(series.backend), value: time, interval: row.p50Interval,
        text: NumberFormat.time(time) + (row.isTimedOnce ? " x1" : ""),
        hover: "\(series.name)\(level): \(NumberFormat.time(time))\(error)\(loss)")
    }
    let isOnScreen = id != "launch" && id != "load"
    return chart(
      bars, id, "\(title), \(Quantity.grouped(size)) records",
      isOnScreen ? "Median time. Shaded: under one frame (16.7 ms)." : "Median time.",
      { NumberFormat.tick(NumberFormat.time($0)) }, limit: isOnScreen ? (SizeLimit.frame, "one frame") : nil)
  }

  private static func amounts(
    _ series: [CostSeries], _ id: String, _ title: String, _ value: (SummaryRow) -> Double?, _ input: SectionInput
  ) -> StripChart? {
    guard let size = size(series, { (value($0) ?? 0) > 0 }) else { return nil }
    let bars = series.compactMap { series -> StripChart.Bar? in
      guard let row = series.row(at: size), let bytes = value(row), bytes > 0 else { return nil }
      let text = NumberFormat.bytes(bytes)
      return .init(
        name: series.name, mark: input.mark(series.backend), value: bytes, text: text,
        hover: "\(series.name): \(text)")
    }
    return chart(
      bars, id, "\(title), \(Quantity.grouped(size)) records", "Counted, so without error.",
      { NumberFormat.tick(NumberFormat.bytes($0)) }, limit: nil)
  }

  private static func chart(
    _ bars: [StripChart.Bar], _ id: String, _ title: String, _ note: String,
    _ unit: @escaping @Sendable (Double) -> String, limit: (Double, String)?
  ) -> StripChart? {
    guard bars.count > 1 else { return nil }
    let sorted = bars.sorted { $0.value < $1.value }
    return StripChart(
      id: "strip-\(id)", title: title, summary: sorted.map { "\($0.name) \($0.text)" }.joined(separator: "; ") + ".",
      note: note, bars: sorted, unit: unit, limit: limit.map { (value: $0.0, name: $0.1) })
  }
}
