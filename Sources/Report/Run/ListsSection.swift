import StorageContract

/// The report section on saves while an app shows lists of the saved records. Each save updates the lists.
enum ListsSection {
  private static let observers = OptionSpec("observers", ["1", "0", "10"], help: "")

  static func section(_ input: SectionInput) -> Section? {
    let rows = measured(input.model.rows)
    guard rows.contains(where: { lists($0) != "0" }) else { return nil }
    var section = Section(id: "lists", title: "A list on the screen while records are saved")
    section.lead = sentences(rows)
    section.tables = [
      Table(
        "Saves that lists follow", of: rows,
        [
          .backend, .words("workload") { RichText([.code($0.task)]) }, .records, .number("lists", lists),
          .number("time", Figure.time),
          .number("of the save alone") { row in alone(row, among: rows).flatMap { Figure.ratio(row, to: $0) } },
          .number("statements") { Figure.count($0, \.statements) },
          .number("rows decoded") { Figure.finding($0, "rows_decoded_per_save", NumberFormat.perOperation) },
          .number("woken for nothing") { Figure.finding($0, "false_wakes_per_save", NumberFormat.perOperation) },
        ])
    ]
    section.guide = [
      "Time is from the start of the save until every list has been told and knows the difference; with \(code: "until=save") until the save returns. Of the save alone: by how much longer that is than the same save with no list on the screen.",
      "Statements, rows made into Swift values and updates without a difference are per save, all lists together.",
    ]
    return section
  }

  static func sentences(_ rows: [SummaryRow]) -> [RichText] {
    let rows = measured(rows)
    return rows.compactMap { sentence($0, among: rows) }
  }

  private static func measured(_ rows: [SummaryRow]) -> [SummaryRow] {
    rows.filter { $0.cell.workload.id == "live-list" && $0.status == .ok }
  }

  private static func lists(_ row: SummaryRow) -> String { row.cell.workload.options[observers] }

  /// Returns the result of the same benchmark without a list on the app's screen, for comparison with `row`. Nil if
  /// there is none.
  private static func alone(_ row: SummaryRow, among rows: [SummaryRow]) -> SummaryRow? {
    func rest(_ row: SummaryRow) -> Cell {
      let ends = OptionSpec("until", ["list", "save"], help: "")
      // Without a list, the options `until=list` and `until=save` of the workload end at the same moment.
      let options = row.cell.workload.options.without(observers).without(ends)
      return row.cell.with { $0.workload = Spec(id: $0.workload.id, options: options) }
    }
    guard lists(row) != "0" else { return nil }
    let others = rows.filter { lists($0) == "0" && rest($0) == rest(row) }
    return others.first {
      $0.cell.workload.options.names.contains("until") == row.cell.workload.options.names.contains("until")
    }
      ?? others.first
  }

  private static func sentence(_ row: SummaryRow, among rows: [SummaryRow]) -> RichText? {
    guard lists(row) == "10", let base = alone(row, among: rows), let factor = Figure.ratio(row, to: base) else {
      return nil
    }
    let until = row.cell.workload.options.names.contains("until") ? "" : ", until all ten know,"
    return
      "\(strong: "With ten lists on the screen") a save of \(Phrases.name(row)) (\(code: "\(row.cell.workload)"), \(Quantity.grouped(row.cell.records)) records)\(until) takes \(factor) as long as with none."
  }
}
