import StorageContract

/// The report section that compares two ways to do the same work, such as a scan and a lookup.
enum PairsSection {
  static func section(_ model: ReportModel) -> Section? {
    let pairings = RowPairing.all(in: model.rows)
    guard !pairings.isEmpty else { return nil }
    var section = Section(id: "pairs", title: "Two ways to do one thing")
    let items = pairings.compactMap { pairing -> RichText? in
      pairing.ratio.map { "\(strong: $0) \(pairing.pair.title), \(pairing.sharedWords)" }
    }
    let title = "Two ways to do one thing: how much longer the first takes"
    section.lists = [.init(title: title, items: items, terminalLimit: 12)]
    section.tables = [
      Table(
        "Pairs of rows", of: pairings,
        [
          .words("the slower way against the faster", \.pair.title), .words("on", \.sharedWords),
          .words("slower") { RowPairing.way($0.slower, against: $0.faster) }, .number("p50") { time($0.slower) },
          .words("faster") { RowPairing.way($0.faster, against: $0.slower) }, .number("p50") { time($0.faster) },
          .words("ratio", \.ratio), .number("syncs") { syncs($0.slower) }, .number("syncs") { syncs($0.faster) },
        ], isFolded: pairings.count > 12, media: .page)
    ]
    section.guide = [
      "The rows of a pair differ in nothing but what is named. The ratio of their times is taken round by round, with the interval of its median; below six rounds it is that of the medians and has none.",
      "Which way is the slower one was written down before anything was measured: a ratio below 1 says that it is not.",
    ]
    return section
  }

  private static func time(_ row: SummaryRow) -> Table.Field { Table.Field.refusal(row) ?? Figure.time(row).field }

  private static func syncs(_ row: SummaryRow) -> Figure? { row.status == .ok ? Figure.count(row, \.syncs) : nil }
}

/// The report section on the launch of an app: the time from process start until records are read.
enum LaunchSection {
  static func section(_ model: ReportModel) -> Section? {
    let rows = model.rows.filter { $0.cell.workload.id.hasPrefix("launch-") }
    guard rows.contains(where: { $0.status == .ok }) else { return nil }
    var section = Section(id: "launch", title: "Launch")
    section.lead = ["A fresh process, from its start to the records shown, including opening the store."]
    section.charts = model.groups.filter { $0.workload.id.hasPrefix("launch-") }.compactMap { chart($0, model) }
    section.tables = [
      Table(
        "Time to the records shown", of: rows,
        [
          .backend, .workload, .records, .number("p50") { Table.Field.time($0, Figure.time($0)) },
          .words("interval") { $0.p50Interval.map(NumberFormat.times) },
          .number("bytes read") { Figure.total($0, \.bytesRead) },
        ], isFolded: rows.count > Table.long)
    ]
    section.guide = [
      "until=first: the first record; until=screen: the twenty newest; until=all: every record, as a whole-file engine reads them anyway.",
      "Warm: the file is in the system's cache, as when an app is opened again. Cold: it is not, as after a restart.",
    ]
    return section
  }

  private static func chart(_ group: ComparisonGroup, _ model: ReportModel) -> IntervalChart? {
    let rows = group.rows.compactMap { row -> IntervalChart.Row? in
      guard row.status == .ok, let time = row.typicalTime else { return nil }
      let name = Phrases.name(row)
      return IntervalChart.Row(
        name: name, value: time, interval: row.p50Interval,
        text: NumberFormat.time(time) + (row.isTimedOnce ? " ×1" : ""), mark: model.mark(row.cell.backend),
        hover: "\(name): \(NumberFormat.time(time, row.p50Interval))")
    }
    guard rows.count > 1 else { return nil }
    return IntervalChart(
      id: group.pattern.chartID("\(group.records)-time"), title: group.task,
      summary: rows.map { "\($0.name) \($0.text)" }.joined(separator: "; ") + ".",
      note: "Median from the start of the process, with its interval, on a logarithmic axis.", rows: rows,
      unit: { NumberFormat.tick(NumberFormat.time($0)) })
  }
}
