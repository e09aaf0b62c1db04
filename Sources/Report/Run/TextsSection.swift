import StorageContract

/// The report section on finding a word in texts, with and without an index of words.
enum TextsSection {
  private static let action = OptionSpec("do", ["find", "save"], help: "")
  private static let index = OptionSpec("index", ["no", "yes"], help: "")

  static func section(_ input: SectionInput) -> Section? {
    let rows = input.model.rows.filter { $0.cell.workload.id == "find-text" && $0.status == .ok }
    guard rows.contains(where: { !isSave($0) }) else { return nil }
    var section = Section(id: "texts", title: "Words inside of texts")
    section.lead = sentences(rows)
    section.tables = [
      Table(
        "Finding a word, and saving a text",
        [
          .words("backend"), .words("workload"), .number("records"), .words("index of words"), .number("time"),
          .number("without the index"), .number("bytes written"), .number("size of the index"),
        ], rows.map { fields($0, plain($0, among: rows)) })
    ]
    section.guide = [
      "A text holds a word where its bytes stand between two ends of the text or ASCII characters that are neither letters nor digits; every backend finds the same records. Without an index every text is looked at.",
      "Without the index: by which factor the row with the index is slower than the one without; below 1 it is faster. The index\u{2019}s size is by how much the store\u{2019}s files grew when it was made. Bytes written are per save.",
    ]
    return section
  }

  static func sentences(_ rows: [SummaryRow]) -> [RichText] {
    let rows = rows.filter { $0.cell.workload.id == "find-text" && $0.status == .ok }
    return rows.compactMap { sentence($0, among: rows) }
  }

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
    let size = Figure.finding(row, "index_bytes", NumberFormat.bytes)
    let indexSize: RichText = size.map { "; the index takes \($0)" } ?? ""
    return
      "\(strong: "Looking at every text") takes \(factor) as long as asking the index, for a word in \(texts) of \(Phrases.name(row))\(indexSize)."
  }

  private static func fields(_ row: SummaryRow, _ plain: SummaryRow?) -> [Table.Field] {
    [
      .init(RichText(Phrases.name(row))), .init("\(code: row.task)"),
      .init(RichText(Quantity.grouped(row.cell.records))), .init(isIndexed(row) ? "yes" : "no"), .init(.time(row)),
      .init(plain.flatMap { Figure.ratio(row, to: $0) }),
      .init(
        isSave(row)
          ? .count(row, \.bytesWrittenSettled, "bytes_written_settled", NumberFormat.bytes) : nil),
      .init(.finding(row, "index_bytes", NumberFormat.bytes)),
    ]
  }
}
