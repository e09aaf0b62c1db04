import StorageContract

/// The report section that compares two ways to do the same work, such as a scan and a lookup.
enum PairsSection {
  static func section(_ input: SectionInput) -> Section? {
    let pairings = RowPairing.all(in: input.model.rows)
    guard !pairings.isEmpty else { return nil }
    var section = Section(id: "pairs", title: "Two ways to do one thing")
    section.lists = [
      .init(
        "Two ways to do one thing: how much longer the first takes",
        pairings.compactMap { pairing in
          pairing.ratio.map { "\(strong: $0) \(pairing.pair.title), \(pairing.sharedWords)" }
        }, terminalLimit: 12)
    ].filter { !$0.items.isEmpty }
    section.tables = [
      Table(
        "Pairs of rows",
        [
          .words("the slower way against the faster"), .words("on"), .words("slower"), .number("p50"),
          .words("faster"), .number("p50"), .words("ratio"), .number("syncs"), .number("syncs"),
        ], pairings.map(fields), isFolded: pairings.count > 12, media: .page)
    ]
    section.guide = [
      "The rows of a pair differ in nothing but what is named. The ratio of their times is taken round by round, with the interval of its median; below six rounds it is that of the medians and has none.",
      "Which way is the slower one was written down before anything was measured: a ratio below 1 says that it is not.",
    ]
    return section
  }

  private static func fields(_ pairing: RowPairing) -> [Table.Field] {
    [
      .init(RichText(pairing.pair.title)), .init(RichText(pairing.sharedWords)),
      .init(RichText(RowPairing.way(pairing.slower, against: pairing.faster))), time(pairing.slower),
      .init(RichText(RowPairing.way(pairing.faster, against: pairing.slower))), time(pairing.faster),
      .init(text: pairing.ratio ?? ""), syncs(pairing.slower), syncs(pairing.faster),
    ]
  }

  private static func time(_ row: SummaryRow) -> Table.Field {
    if let refusal = Phrases.refusal(row) {
      return .init(RichText(refusal), kind: row.status == .failed ? .failed : .absent)
    }
    return .init(Figure.time(row))
  }

  private static func syncs(_ row: SummaryRow) -> Table.Field {
    .init(row.status == .ok ? Figure.count(row, \.syncs, "syncs", NumberFormat.perOperation) : nil)
  }
}
