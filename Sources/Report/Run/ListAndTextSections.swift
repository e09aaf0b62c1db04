import StorageContract

/// The report section on saves while an app shows lists of the saved records. Each save updates the lists.
enum ListsSection {
  private static let observers = OptionSpec("observers", ["1", "0", "10"], help: "")

  static func section(_ model: ReportModel) -> Section? {
    let rows = model.rows.measured("live-list")
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
    let rows = rows.measured("live-list")
    return rows.compactMap { row -> RichText? in
      guard lists(row) == "10", let base = alone(row, among: rows), let factor = Figure.ratio(row, to: base) else {
        return nil
      }
      let until = row.cell.workload.options.names.contains("until") ? "" : ", until all ten know,"
      return
        "\(strong: "With ten lists on the screen") a save of \(Phrases.name(row)) (\(code: "\(row.cell.workload)"), \(Quantity.grouped(row.cell.records)) records)\(until) takes \(factor) as long as with none."
    }
  }

  private static func lists(_ row: SummaryRow) -> String { row.cell.workload.options[observers] }

  /// Returns the result of the same benchmark without a list on the app's screen, if measured.
  private static func alone(_ row: SummaryRow, among rows: [SummaryRow]) -> SummaryRow? {
    func rest(_ row: SummaryRow) -> Cell {
      let ends = OptionSpec("until", ["list", "save"], help: "")
      // Without a list, the options `until=list` and `until=save` of the workload end at the same moment.
      let options = row.cell.workload.options.without(observers).without(ends)
      return row.cell.with { $0.workload = Spec(id: $0.workload.id, options: options) }
    }
    guard lists(row) != "0" else { return nil }
    func hasEnd(_ row: SummaryRow) -> Bool { row.cell.workload.options.names.contains("until") }
    let others = rows.filter { lists($0) == "0" && rest($0) == rest(row) }
    return others.first { hasEnd($0) == hasEnd(row) } ?? others.first
  }
}

/// The report section on finding a word in texts, with and without an index of words.
enum TextsSection {
  private static let action = OptionSpec("do", ["find", "save"], help: "")
  private static let index = OptionSpec("index", ["no", "yes"], help: "")

  static func section(_ model: ReportModel) -> Section? {
    let rows = model.rows.measured("find-text")
    guard rows.contains(where: { !isSave($0) }) else { return nil }
    var section = Section(id: "texts", title: "Words inside of texts")
    section.lead = sentences(rows)
    section.tables = [
      Table(
        "Finding a word, and saving a text", of: rows,
        [
          .backend, .words("workload") { RichText([.code($0.task)]) }, .records,
          .words("index of words") { isIndexed($0) ? "yes" : "no" }, .number("time", Figure.time),
          .number("without the index") { row in plain(row, among: rows).flatMap { Figure.ratio(row, to: $0) } },
          .number("bytes written") { isSave($0) ? Figure.count($0, \.bytesWrittenSettled) : nil },
          .number("size of the index", indexSize),
        ])
    ]
    section.guide = [
      "A text holds a word where its bytes stand between two ends of the text or ASCII characters that are neither letters nor digits; every backend finds the same records. Without an index every text is looked at.",
      "Without the index: by which factor the row with the index is slower than the one without; below 1 it is faster. The index\u{2019}s size is by how much the store\u{2019}s files grew when it was made. Bytes written are per save.",
    ]
    return section
  }

  static func sentences(_ rows: [SummaryRow]) -> [RichText] {
    let rows = rows.measured("find-text")
    return rows.compactMap { row -> RichText? in
      guard let plain = plain(row, among: rows) else { return nil }
      let texts = "\(Quantity.grouped(row.cell.records)) texts"
      if isSave(row) {
        guard let factor = Figure.ratio(row, to: plain) else { return nil }
        return
          "\(strong: "Its index makes") saving one of \(texts) in \(Phrases.name(row)) take \(factor) as long."
      }
      guard let factor = Figure.ratio(plain, to: row) else { return nil }
      let size: RichText = indexSize(row).map { "; the index takes \($0)" } ?? ""
      return
        "\(strong: "Looking at every text") takes \(factor) as long as asking the index, for a word in \(texts) of \(Phrases.name(row))\(size)."
    }
  }

  private static func indexSize(_ row: SummaryRow) -> Figure? { .finding(row, "index_bytes", NumberFormat.bytes) }

  private static func isSave(_ row: SummaryRow) -> Bool { row.cell.workload.options[action] == "save" }
  private static func isIndexed(_ row: SummaryRow) -> Bool { row.cell.workload.options[index] == "yes" }

  private static func plain(_ row: SummaryRow, among rows: [SummaryRow]) -> SummaryRow? {
    guard isIndexed(row) else { return nil }
    let cell = row.cell.with { $0.workload = Spec(id: $0.workload.id, options: $0.workload.options.without(index)) }
    return rows.first { $0.cell == cell }
  }
}
