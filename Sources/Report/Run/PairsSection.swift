import StorageContract

/// The report section that compares two ways to do the same work, such as a scan and a lookup.
enum PairsSection {
  static func section(_ input: SectionInput) -> Section? {
    let pairings = RowPairing.all(in: input.model.rows)
    guard !pairings.isEmpty else { return nil }
    var section = Section(id: "pairs", title: "Two ways to do one thing")
    section.lists = [
      .init(
        title: "Two ways to do one thing: how much longer the first takes",
        items: pairings.compactMap { pairing in
          pairing.ratio.map { "\(strong: $0) \(pairing.pair.title), \(pairing.sharedWords)" }
        }, terminalLimit: 12)
    ].filter { !$0.items.isEmpty }
    section.tables = [
      Table(
        "Pairs of rows", of: pairings,
        [
          .words("the slower way against the faster", \.pair.title), .words("on", \.sharedWords),
          .words("slower") { RowPairing.way($0.slower, against: $0.faster) }, .number("p50") { time($0.slower) },
          .words("faster") { RowPairing.way($0.faster, against: $0.slower) }, .number("p50") { time($0.faster) },
          .words("ratio", \.ratio), .number("syncs") { syncs($0.slower) }, .number("syncs") { syncs($0.faster) },
        ], isFolded: pairings.count > 12, media: .page)
    ]
    section.guide = [
      "The rows of a pair differ in nothing but what is named. The ratio of their times is taken round by round, with the interval of its median; below six rounds it is that of the medians and has none.",
      "Which way is the slower one was written down before anything was measured: a ratio below 1 says that it is not.",
    ]
    return section
  }

  private static func time(_ row: SummaryRow) -> Table.Field { Table.Field.refusal(row) ?? Figure.time(row).field }

  private static func syncs(_ row: SummaryRow) -> Figure? { row.status == .ok ? Figure.count(row, \.syncs) : nil }
}
