import StorageContract

/// What changing one record costs as the store grows: time, bytes, calls and syncs over N, with the laws.
enum SaveCostSection: SectionBuilder {
  static func section(_ input: SectionInput) -> Section? {
    let saves = CostSeries.saves(in: input.model.series)
    let counts = countRows(saves)
    guard !counts.isEmpty || saves.contains(where: { $0.time != nil }) else { return nil }
    var section = Section(id: "save-cost", title: "The cost of changing one record")
    section.lead = [
      "Bytes count everything up to and with checkpoint and close. Write amplification is bytes written by bytes changed."
    ]
    // The first picture stands beside the answer.
    let shown = GrowthCharts.signature(input)?.id
    for durability in Durability.allCases {
      let asked = saves.filter { $0.durability == durability }
      section.charts += [
        GrowthCharts.chart(asked, .time, input), GrowthCharts.chart(asked, .bytesWritten, input),
      ].compactMap { $0 }.filter { $0.id != shown }
    }
    if !counts.isEmpty {
      section.tables.append(
        Table(
          "Bytes, calls and syncs of a save by store size",
          [
            .words("backend"), .words("asked"), .words("level"), .number("records"), .number("bytes per save"),
            .number("write amplification"), .number("write calls per save"), .number("syncs per save"),
            .number("file"),
          ], counts, isFolded: true))
    }
    if let laws = GrowthCharts.lawTable(saves) { section.tables.append(laws) }
    section.guide = GrowthCharts.guide
    return section
  }

  private static func countRows(_ saves: [CostSeries]) -> [[Table.Field]] {
    saves.flatMap { series in
      series.rows.filter { $0.cost != nil }.map { row in
        [
          Table.Field(RichText(series.name)), Table.Field(RichText(row.cell.durability?.rawValue ?? "-")),
          Table.Field(RichText(row.level?.rawValue ?? "-")),
          Table.Field(RichText(Quantity.grouped(row.cell.records))),
          Table.Field(.count(row, \.bytesWrittenSettled, "bytes_written_settled", NumberFormat.bytes)),
          Table.Field(.quotient(row, row.writeAmplification, "bytes_written_settled", by: "bytes_changed")),
          Table.Field(.count(row, \.writeCalls, "write_calls", NumberFormat.perOperation)),
          Table.Field(.count(row, \.syncs, "syncs", NumberFormat.perOperation)),
          Table.Field(.bytes(row, \.fileBytes, "file_bytes")),
        ]
      }
    }
  }
}
