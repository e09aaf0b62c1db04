import StorageContract
import StorageStatistics

/// The report section that compares stores after many changes with new stores of the same records.
enum AgeSection {
  static func section(_ model: ReportModel) -> Section? {
    let pairs = AgePair.all(in: model.rows)
    guard !pairs.isEmpty else { return nil }
    var section = Section(id: "age", title: "After K × N changes")
    section.lists = [.init(title: "What age does to a store", items: sentences(model), terminalLimit: 12)]
    section.tables = [
      Table(
        "Aged stores against young ones", of: pairs,
        [
          .of(\.aged, .backend), .of(\.aged, .workload), .of(\.aged, .records),
          .number("young") { Figure.time($0.young) }, .number("aged") { Figure.time($0.aged) },
          .words("aged by young") { Phrases.slowdown(base: $0.young, head: $0.aged) },
          .number("young file") { Figure.total($0.young, \.fileBytes) },
          .number("aged file") { Figure.total($0.aged, \.fileBytes) },
          .number("aged by young") { $0.fileRatio.map(NumberFormat.ratio) },
        ], isFolded: pairs.count > Table.long, media: .page),
      Table(
        "How the stores lie in their files", of: pairs.grouped { $0.life }.flatMap { layouts($0.members) },
        [
          .backend, .records,
          .words("age") { $0.cell.aged == 0 ? "young" : "after \(Quantity.grouped($0.cell.aged)) × N changes" },
        ] + layoutColumns, media: .page),
    ].filter { !$0.rows.isEmpty }
    section.guide = [
      "K × N: the store was filled in random order and then changed K times as often as it has records: a tenth deleted and inserted again, the rest replaced by shorter and longer ones, in sessions of N changes. It holds the same records as the young one, which was filled in key order; the rows of a pair differ in nothing else. Engines that change pages commit each change; those that write their whole file save once in N changes, and have no age but what their memory does with it.",
      "Free pages are those that nothing uses and that the file keeps. Fragmentation is the share of leaf pages that do not lie right behind the one before them in key order, of all that follow one: 0 for a store filled in key order. Fill is the share of the leaf pages\u{2019} bytes that is in use. Sorted runs are the places where a log-structured engine may have to look for a key. An engine that tells none of it has none here.",
    ]
    return section
  }

  private static var layoutColumns: [ItemColumn<SummaryRow>] {
    func count(_ count: Double) -> String { Quantity.grouped(Int(count)) }
    return [
      .number("pages") { $0.finding("page_count").map(count) },
      .number("free pages") { $0.finding("free_pages").map(count) },
      .number("fragmentation") { $0.finding("fragmentation").map(NumberFormat.percent) },
      .number("fill") { $0.finding("leaf_fill").map(NumberFormat.percent) },
      .number("sorted runs") { $0.finding("sorted_runs").map(count) },
    ]
  }

  private static func layouts(_ pairs: [AgePair]) -> [SummaryRow] {
    let pair = pairs.first(where: \.onlyReads) ?? pairs[0]
    return [pair.young, pair.aged].filter { row in layoutColumns.contains { $0.field(row) != .unmeasured } }
  }

  /// Returns sentences on the effects of many changes on a store.
  static func sentences(_ model: ReportModel) -> [RichText] {
    let words = Dictionary(model.spoken.map { ($0.workload, $0.words) }, uniquingKeysWith: { first, _ in first })
    return AgePair.all(in: model.rows).grouped { $0.life }.compactMap { sentence($0.members, words) }
  }

  private static func sentence(_ pairs: [AgePair], _ words: [Spec: WorkloadWords]) -> RichText? {
    var parts = pairs.compactMap { pair -> String? in
      guard let time = RowComparison(base: pair.young, head: pair.aged), time.verdict.isDifference,
        let said = words[pair.aged.cell.workload]
      else { return nil }
      return "\(said.operation) takes \(Phrases.factor(time.ratio)) as long"
    }
    let file = (pairs.first(where: \.onlyReads) ?? pairs[0]).fileRatio
    if let file, abs(file - 1) > RowVerdict.margin { parts.append("the file is \(NumberFormat.ratio(file)) as large") }
    guard !parts.isEmpty else { return nil }
    let cell = pairs[0].aged.cell
    let life = "After \(Quantity.grouped(cell.aged)) × N changes, with \(Quantity.grouped(cell.records)) records"
    return "\(strong: Phrases.name(pairs[0].aged)): \(life), \(Phrases.list(parts))."
  }
}

struct AgePair {
  let young: SummaryRow
  let aged: SummaryRow

  static func all(in rows: [SummaryRow]) -> [AgePair] {
    let measured = rows.filter { $0.status == .ok }
    let rowOf = Dictionary(
      measured.map { (SharedCell(cell: $0.cell, machine: $0.machine), $0) }, uniquingKeysWith: { first, _ in first })
    return measured.filter { $0.cell.aged > 0 }.compactMap { row in
      let young = SharedCell(cell: row.cell.with { $0.aged = 0 }, machine: row.machine)
      return rowOf[young].map { AgePair(young: $0, aged: row) }
    }
  }

  /// A key for a store after many changes: texts such as its backend, number of records and number of changes.
  var life: [String] {
    let cell = aged.cell
    return ["\(cell.backend)", "\(cell.records)", "\(cell.recordBytes)", "\(cell.aged)", aged.machine]
  }

  /// Whether the workload only reads. Such a workload has no durability.
  var onlyReads: Bool { aged.cell.durability == nil }

  var fileRatio: Double? {
    guard let young = young.cost?.fileBytes, let aged = aged.cost?.fileBytes, young > 0 else { return nil }
    return Double(aged) / Double(young)
  }
}
