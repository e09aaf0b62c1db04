import StorageContract

/// The report section on finding a word in texts, with and without an index of words.
enum TextsSection {
  private static let action = OptionSpec("do", ["find", "save"], help: "")
  private static let index = OptionSpec("index", ["no", "yes"], help: "")

  static func section(_ input: SectionInput) -> Section? {
    let rows = measured(input.model.rows)
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
    let rows = measured(rows)
    return rows.compactMap { sentence($0, among: rows) }
  }

  private static func measured(_ rows: [SummaryRow]) -> [SummaryRow] {
    rows.filter { $0.cell.workload.id == "find-text" && $0.status == .ok }
  }

  private static func indexSize(_ row: SummaryRow) -> Figure? { .finding(row, "index_bytes", NumberFormat.bytes) }

  private static func isSave(_ row: SummaryRow) -> Bool { row.cell.workload.options[action] == "save" }
  private static func isIndexed(_ row: SummaryRow) -> Bool { row.cell.workload.options[index] == "yes" }

  private static func plain(_ row: SummaryRow, among rows: [SummaryRow]) -> SummaryRow? {
    guard isIndexed(row) else { return nil }
    let cell = row.cell.with { $0.workload = Spec(id: $0.workload.id, options: $0.workload.options.without(index)) }
    return rows.first { $0.cell == cell }
  }

  private static func sentence(_ row: SummaryRow, among rows: [SummaryRow]) -> RichText? {
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
