import StorageContract

/// The report section on the launch of an app: the time from process start until records are read.
enum LaunchSection {
  static func section(_ input: SectionInput) -> Section? {
    let rows = input.model.rows.filter { $0.cell.workload.id.hasPrefix("launch-") }
    guard rows.contains(where: { $0.status == .ok }) else { return nil }
    var section = Section(id: "launch", title: "Launch")
    section.lead = ["A fresh process, from its start to the records shown, including opening the store."]
    section.charts = input.model.groups.filter { $0.workload.id.hasPrefix("launch-") }.compactMap { chart($0, input) }
    section.tables = [
      Table(
        "Time to the records shown", of: rows,
        [
          .backend, .workload, .records, .number("p50", time),
          .words("interval") { $0.p50Interval.map(NumberFormat.times) },
          .number("bytes read") { Figure.total($0, \.bytesRead) },
        ], isFolded: rows.count > SectionInput.longTable)
    ]
    section.guide = [
      "until=first: the first record; until=screen: the twenty newest; until=all: every record, as a whole-file engine reads them anyway.",
      "Warm: the file is in the system's cache, as when an app is opened again. Cold: it is not, as after a restart.",
    ]
    return section
  }

  private static func time(_ row: SummaryRow) -> Table.Field {
    Table.Field.refusal(row) ?? Figure.time(row).map { .init(row.isTimedOnce ? "\($0) ×1" : "\($0)") } ?? .unmeasured
  }

  private static func chart(_ group: ComparisonGroup, _ input: SectionInput) -> IntervalChart? {
    let rows = group.rows.compactMap { row -> IntervalChart.Row? in
      guard row.status == .ok, let time = row.typicalTime else { return nil }
      let name = Phrases.name(row)
      return IntervalChart.Row(
        name: name, value: time, interval: row.p50Interval,
        text: NumberFormat.time(time) + (row.isTimedOnce ? " ×1" : ""), mark: input.mark(row.cell.backend),
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
