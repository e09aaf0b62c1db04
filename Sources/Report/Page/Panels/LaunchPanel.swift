import StorageContract

/// How long until an app shows something: a fresh process, from its start to the first record, the screen, or all.
enum LaunchPanel: PanelBuilder {
  static func panel(_ input: PanelInput) -> Panel? {
    let rows = input.model.rows.filter { $0.cell.workload.id.hasPrefix("launch-") }
    guard rows.contains(where: { $0.status == .ok }) else { return nil }
    var panel = Panel(id: "launch", title: "Launch")
    panel.lead = ["A fresh process, from its start to the records shown, including opening the store."]
    panel.charts = input.model.groups.filter { $0.workload.id.hasPrefix("launch-") }.compactMap { chart($0, input) }
    panel.tables = [
      PanelTable(
        "Time to the records shown",
        [
          .words("backend"), .words("workload"), .number("records"), .number("p50"), .words("interval"),
          .number("bytes read"),
        ], rows.map(fields), isFolded: true)
    ]
    panel.guide = [
      "until=first: the first record; until=screen: the twenty newest; until=all: every record, as a whole-file engine reads them anyway.",
      "Warm: the file is in the system's cache, as when an app is opened again. Cold: it is not, as after a restart.",
    ]
    return panel
  }

  private static func fields(_ row: SummaryRow) -> [PanelTable.Field] {
    let time = Phrases.refusal(row).map {
      PanelTable.Field(RichText($0), kind: row.status == .failed ? .failed : .absent)
    }
    let interval = row.p50Interval.map { "\(NumberFormat.time($0.low)) to \(NumberFormat.time($0.high))" }
    return [
      .init(RichText(Phrases.name(row))), .init(RichText(MatrixSection.workload(row))),
      .init(RichText(Quantity.grouped(row.cell.records))), time ?? .init(Figure.time(row)), .init(text: interval ?? ""),
      .init(.bytes(row, \.bytesRead, "bytes_read")),
    ]
  }

  private static func chart(_ group: ComparisonGroup, _ input: PanelInput) -> BarChart? {
    let rows = group.rows.compactMap { row -> BarChart.Row? in
      guard row.status == .ok, let time = row.typicalTime else { return nil }
      let name = Phrases.name(row)
      let interval = row.p50Interval.map { " (\(NumberFormat.time($0.low)) to \(NumberFormat.time($0.high)))" }
      return BarChart.Row(
        name: name, mark: input.mark(row.cell.backend),
        parts: [.init(value: time, hover: "\(name): \(NumberFormat.time(time))\(interval ?? "")")],
        interval: row.p50Interval, text: NumberFormat.time(time) + (row.isTimedOnce ? " x1" : ""))
    }
    guard rows.count > 1 else { return nil }
    return BarChart(
      id: GrowthCharts.id(group.pattern, "\(group.records)-time"), title: group.task,
      summary: rows.map { "\($0.name) \($0.text)" }.joined(separator: "; ") + ".",
      note: "Median from the start of the process, with its interval.", rows: rows,
      unit: { NumberFormat.tick(NumberFormat.time($0)) })
  }
}
