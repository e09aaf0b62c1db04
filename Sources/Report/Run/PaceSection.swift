import StorageContract

/// The report section on saves at a fixed pace: one with each frame of a screen (every 16.7 ms).
enum PaceSection {
  static func section(_ input: SectionInput) -> Section? {
    let rows = input.model.rows.filter { $0.status == .ok && $0.overFrame != nil && $0.operations > 0 }
    guard !rows.isEmpty else { return nil }
    var section = Section(id: "pace", title: "Frames")
    section.lead = [
      "A save every 16.7 ms, as often as a screen draws: one that takes longer, counted from when it was due, holds up the next frame."
    ]
    section.tables = [
      Table(
        "Saves that took longer than a frame", of: rows,
        [
          .cell, .number("saves") { Figure.operations($0.operations, "operations", of: $0) },
          .number("over 16.7 ms") { share($0, $0.overFrame, "over_16_7ms") },
          .number("over 8.3 ms") { share($0, $0.overHalfFrame, "over_8_3ms") }, .p50, .p99, .max,
        ])
    ]
    section.guide = [
      "16.7 ms is a frame at 60 a second, 8.3 ms one at 120. A save that waits behind a slow one is late, too, and counts. Only times are taken at this pace; counts are of saves that follow one another."
    ]
    return section
  }

  private static func share(_ row: SummaryRow, _ count: Int?, _ column: String) -> Figure? {
    count.map {
      let share = Double($0) / Double(row.operations)
      return Figure(NumberFormat.percent(share), share, of: row, column, by: "operations")
    }
  }
}
