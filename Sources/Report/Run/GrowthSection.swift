import StorageContract
import StorageStatistics

/// The report section on how costs grow with the number of records. Saves of one record are in another section.
enum GrowthSection {
  static func section(_ model: ReportModel) -> Section? {
    let saves = Set(CostSeries.saves(in: model.series).map(\.pattern))
    let others = model.series.filter { !saves.contains($0.pattern) && $0.rows.count > 1 }
    let laws = GrowthCharts.lawTable(others)
    guard !laws.rows.isEmpty else { return nil }
    var section = Section(id: "growth", title: "How the other workloads grow")
    let groups = others.grouped { series in series.pattern.with { $0.backend = Spec(id: "") } }
    section.charts = groups.compactMap { GrowthCharts.chart($0.members, .time, model) }
    section.tables = [GrowthCharts.timeTable(others), laws]
    section.guide = GrowthCharts.guide
    return section
  }
}

/// The charts and tables of costs by number of records, for several report sections.
enum GrowthCharts {
  static let guide: [RichText] = [
    "Both axes are logarithmic: a line that rises by one step per step has slope 1, 10 times the records cost 10 times as much; a level line has slope 0. \u{201C}About the same\u{201D}: less than 10 % from the smallest size to the largest. The band is the interval of the median over the processes; between the sizes that were measured (the marks) the line follows the fitted curve.",
    "The fitted curve is a power of N plus a constant, \(code: "440 µs + 5.2 µs × N^1.04"). The constant is left out where noise could explain it, and where the curve has a step that no power describes. The residual is the typical distance of the measured sizes from the curve; where the curve has as many parameters as there are sizes it goes through them, and nothing is left to check it by.",
    "Slopes and exponents have an interval from six rounds on: they are read off each round, and the interval is that of their median. Counts are exact and have none.",
  ]

  /// Returns the main chart of a report: the time of saving one record by number of records. Nil if there is no curve.
  static func signature(_ model: ReportModel) -> GrowthChart? {
    chart(CostSeries.usual(CostSeries.saves(in: model.series)), .time, model)
  }

  /// Returns a chart of time or bytes by number of records, with a line for each series. Nil if no line has two points.
  ///
  /// - Parameters:
  ///   - series: The series of one workload with one requested durability.
  ///   - range: Values that the vertical axis includes, so that several charts can have equal axes.
  static func chart(
    _ series: [CostSeries], _ measure: Crossover.Measure, _ model: ReportModel, range: [Double] = []
  ) -> GrowthChart? {
    let lines = series.compactMap { series -> GrowthChart.Line? in
      guard let fit = series.fit(measure) else { return nil }
      return GrowthChart.Line(
        mark: model.mark(series.backend), name: series.name, points: points(series, measure), curve: fit.curve)
    }
    guard let pattern = series.first?.pattern, lines.contains(where: { $0.points.count > 1 }) else { return nil }
    let subject = ["\(pattern.workload)", pattern.durability?.words].compactMap { $0 }.joined(separator: ", ")
    let words = series.compactMap { one in GrowthPhrases.tenfold(one.fit(measure)).map { "\(one.name) \($0)" } }
    let isTime = measure == .time
    return GrowthChart(
      id: pattern.chartID(isTime ? "time" : "bytes"),
      title: "\(subject): \(isTime ? "median time" : "bytes written") per operation",
      summary:
        "Lines over the number of records, on logarithmic axes. \(GrowthPhrases.tenTimes): \(words.joined(separator: "; ")).",
      note: levels(series), unit: { NumberFormat.tick(isTime ? NumberFormat.time($0) : NumberFormat.bytes($0)) },
      lines: lines, range: range,
      limits: isTime && pattern.durability != nil ? [(SizeLimit.frame, "one frame, 16.7 ms")] : [])
  }

  private static func points(_ series: CostSeries, _ measure: Crossover.Measure) -> [GrowthChart.Point] {
    series.rows.compactMap { row in
      func point(_ value: Double, _ interval: MedianInterval?, _ words: String) -> GrowthChart.Point {
        let hover = "\(Quantity.grouped(row.cell.records)) records: \(words)"
        return .init(x: Double(row.cell.records), y: value, interval: interval, hover: hover)
      }
      switch measure {
      case .time:
        guard row.status == .ok, let time = row.typicalTime else { return nil }
        let words = NumberFormat.time(time, row.p50Interval) + (row.isTimedOnce ? ", timed once" : "")
        return point(time, row.p50Interval, words)
      case .bytesWritten:
        guard let bytes = row.perOperation(\.bytesWrittenSettled), bytes > 0 else { return nil }
        return point(bytes, nil, NumberFormat.bytes(bytes))
      }
    }
  }

  private static func levels(_ series: [CostSeries]) -> String {
    guard series.first?.durability == .shipped else {
      let set = series.first?.durability.map { "Every library set to \($0.rawValue). " } ?? ""
      return "\(set)Band: interval of the median."
    }
    let groups = Level.allCases.reversed().compactMap { level -> String? in
      let names = series.filter { $0.level == level }.map(\.name)
      return names.isEmpty ? nil : "\(level.rawValue): \(names.joined(separator: ", "))"
    }
    return "Promises differ: \(groups.joined(separator: "; "))."
  }

  static func timeTable(_ series: [CostSeries]) -> Table {
    Table(
      "Time of an operation by store size",
      of: series.flatMap { series in series.timed.map { (series: series, row: $0) } },
      [
        .of(\.series, .backend), .of(\.row, .workload), .of(\.series, .asked), .of(\.series, .level),
        .of(\.row, .records), .of(\.row, .p50),
        .words("interval") { $0.row.p50Interval.map(NumberFormat.times) ?? ($0.row.isTimedOnce ? "timed once" : "") },
      ], isFolded: true)
  }

  static func bytesTable(_ series: [CostSeries]) -> Table? {
    let counted = series.filter { $0.largestCounted != nil }
    let sizes = Set(counted.flatMap { $0.rows.filter { $0.cost?.bytesWrittenSettled != nil }.map(\.cell.records) })
      .sorted()
    guard sizes.count > 1, let durability = counted.first?.durability else { return nil }
    return Table(
      "Bytes written per save, \(durability.words), by store size",
      of: counted,
      [.backend]
        + sizes.map { size in
          .number(Quantity.grouped(size)) { $0.row(at: size).flatMap { Figure.count($0, \.bytesWrittenSettled) } }
        })
  }

  /// Returns a table of the curves fitted to times and bytes written, such as `440 µs + 5.2 µs × N^1.04`.
  static func lawTable(_ series: [CostSeries]) -> Table {
    Table(
      "Fitted cost curves", of: series.filter { $0.time?.slope != nil || $0.bytesWritten?.slope != nil },
      [
        .backend, .workload, .asked, .level,
        .words("time at 10 times the records") { GrowthPhrases.slope($0.time) },
        .words("fitted time") { GrowthPhrases.law($0.time, NumberFormat.time) },
        .words("residual") { $0.time.flatMap { $0.slope == nil ? nil : GrowthPhrases.residual($0) } },
        .words("bytes at 10 times the records") { GrowthPhrases.slope($0.bytesWritten) },
        .words("fitted bytes") { GrowthPhrases.law($0.bytesWritten, NumberFormat.bytes) },
      ], isFolded: true)
  }
}

/// The report section on the time of a save by number of records, with a chart for each durability on equal axes.
enum LevelsSection {
  static func section(_ model: ReportModel) -> Section? {
    let saves = CostSeries.saves(in: model.series)
    let answer = Set(AnswerSection.section(model)?.charts.map(\.id) ?? [])
    let range = saves.flatMap { $0.timed.compactMap(\.typicalTime) }
    var section = Section(id: "levels", title: "How a save grows, by safety level")
    section.charts = Durability.allCases.compactMap { asked in
      GrowthCharts.chart(saves.filter { $0.durability == asked }, .time, model, range: range)
    }.filter { !answer.contains($0.id) }
    section.guide = GrowthCharts.guide
    return section.charts.isEmpty ? nil : section
  }
}

/// The report section on the time, bytes, calls and syncs of saving one record, by number of records in the store.
enum SaveCostSection {
  static func section(_ model: ReportModel) -> Section? {
    let saves = CostSeries.saves(in: model.series)
    let counted = saves.flatMap { series in series.rows.filter { $0.cost != nil }.map { (series: series, row: $0) } }
    guard !counted.isEmpty || saves.contains(where: { $0.time != nil }) else { return nil }
    var section = Section(id: "save-cost", title: "The cost of changing one record")
    section.lead = [
      "Bytes count everything up to and with checkpoint and close. Write amplification is bytes written by bytes changed."
    ]
    // Charts that other sections already show are left out.
    let above = [AnswerSection.section(model), LevelsSection.section(model), RewriteSection.section(model)]
    let shown = Set(above.compactMap { $0 }.flatMap(\.charts).map(\.id))
    for durability in Durability.allCases {
      let asked = saves.filter { $0.durability == durability }
      let charts = Crossover.Measure.allCases.compactMap { GrowthCharts.chart(asked, $0, model) }
      section.charts += charts.filter { !shown.contains($0.id) }
      section.tables += [GrowthCharts.bytesTable(asked)].compactMap { $0 }
    }
    let counts = Table(
      "Bytes, calls and syncs of a save by store size", of: counted,
      [
        .of(\.series, .backend), .of(\.series, .asked), .words("level") { $0.row.level?.rawValue ?? "-" },
        .of(\.row, .records), .number("bytes per save") { Figure.count($0.row, \.bytesWrittenSettled) },
        .number("write amplification") { Figure.quotient($0.row, \.bytesWrittenSettled, by: \.bytesChanged) },
        .number("write calls per save") { Figure.count($0.row, \.writeCalls) },
        .number("syncs per save") { Figure.count($0.row, \.syncs) },
        .number("file") { Figure.total($0.row, \.fileBytes) },
      ], isFolded: true)
    section.tables += [counts, GrowthCharts.timeTable(saves), GrowthCharts.lawTable(saves)]
      .filter { !$0.rows.isEmpty }
    section.guide = GrowthCharts.guide
    return section
  }
}
