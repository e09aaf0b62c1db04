import StorageContract

/// What changing one record costs as the store grows: time, bytes, calls and syncs over N, with the laws.
enum SaveCostPanel: PanelBuilder {
  static func panel(_ input: PanelInput) -> Panel? {
    let saves = CostSeries.saves(in: input.model.series)
    let counts = countRows(saves)
    guard !counts.isEmpty || saves.contains(where: { $0.time != nil }) else { return nil }
    var panel = Panel(id: "save-cost", title: "The cost of changing one record")
    panel.lead = [
      "Bytes count everything up to and with checkpoint and close. Write amplification is bytes written by bytes changed."
    ]
    for durability in Durability.allCases {
      let asked = saves.filter { $0.durability == durability }
      panel.charts += [
        GrowthCharts.chart(asked, .time, input), GrowthCharts.chart(asked, .bytesWritten, input),
      ].compactMap { $0 }
    }
    if !counts.isEmpty {
      panel.tables.append(
        PanelTable(
          "Bytes, calls and syncs of a save by store size",
          [
            .words("backend"), .words("asked"), .words("level"), .number("records"), .number("bytes per save"),
            .number("write amplification"), .number("write calls per save"), .number("syncs per save"),
            .number("file"),
          ], counts, isFolded: true))
    }
    if let laws = GrowthCharts.lawTable(saves) { panel.tables.append(laws) }
    panel.guide = GrowthCharts.guide
    return panel
  }

  private static func countRows(_ saves: [CostSeries]) -> [[PanelTable.Field]] {
    saves.flatMap { series in
      series.rows.filter { $0.cost != nil }.map { row in
        [
          PanelTable.Field(RichText(series.name)), PanelTable.Field(RichText(row.cell.durability?.rawValue ?? "-")),
          PanelTable.Field(RichText(row.level?.rawValue ?? "-")),
          PanelTable.Field(RichText(Quantity.grouped(row.cell.records))),
          PanelTable.Field(.count(row, \.bytesWrittenSettled, "bytes_written_settled", NumberFormat.bytes)),
          PanelTable.Field(.quotient(row, row.writeAmplification, "bytes_written_settled", by: "bytes_changed")),
          PanelTable.Field(.count(row, \.writeCalls, "write_calls", NumberFormat.perOperation)),
          PanelTable.Field(.count(row, \.syncs, "syncs", NumberFormat.perOperation)),
          PanelTable.Field(.bytes(row, \.fileBytes, "file_bytes")),
        ]
      }
    }
  }
}
