import StorageContract
import StorageRunFiles

/// The report section on possible data loss in a power cut or a crash, as a table with a row for each backend.
enum SafetyGridSection {
  static func section(_ model: ReportModel) -> Section? {
    let saves = CostSeries.saves(in: model.series).filter { !$0.isFloor }
    let durabilities = Durability.allCases.filter { asked in saves.contains { $0.durability == asked } }
    let backends = saves.grouped(by: \.backend)
    guard backends.count > 1 else { return nil }
    var section = Section(id: "grid", title: "What can be lost")
    section.isOpenOnPhones = true
    section.guide = [
      "The level of a save follows from the settings and from its counted syncs. Details, and the crash tests, are in Safety."
    ]
    section.tables = [
      Table(
        "", of: backends.map(\.members),
        [.words("backend") { Phrases.name($0[0].backend, like: $0[0].rows.first) }]
          + durabilities.map { asked in
            .words("power cut, \(asked == .shipped ? asked.words : "set to \(asked.words)")") { members in
              field(members.first { $0.durability == asked })
            }
          }
          + [.words("crash of the app") { crash(CostSeries.usual($0)[0]) }],
        footer: [
          "\u{25CF} nothing is lost, \u{25D0} the last saves can be lost, \u{25CB} more can be lost, \u{2013} not available or not measured. The levels follow from settings and counted syncs; Safety, among the details, has the crash tests if there were any."
        ])
    ]
    return section
  }

  private static func field(_ series: CostSeries?) -> Table.Field {
    guard let series, let level = series.level else { return .init("\u{2013}", kind: .absent) }
    return .init(RichText("\(level.words.symbol) \(series.afterPowerCut.replacing("! ", with: ""))"))
  }

  private static func crash(_ series: CostSeries) -> Table.Field {
    switch series.level {
    case .durable, .intact, .crash: .init("\u{25CF} nothing lost")
    case .fragile: .init("\u{25CB} a crash can empty it")
    case .volatile: .init("\u{25CB} \(Level.unwritten)")
    case nil: .init("\u{2013}", kind: .absent)
    }
  }
}

/// The report section on the bytes that a save of one record writes, compared with the size of the file.
enum RewriteSection {
  static func section(_ model: ReportModel) -> Section? {
    let saves = CostSeries.saves(in: model.series).filter { !$0.isFloor }
    let shown = CostSeries.usual(saves)
    let rows = shown.compactMap { series in series.largestCounted.map { (series: series, row: $0) } }
      .filter { $0.row.cost?.fileBytes ?? 0 > 0 }
    guard rows.count > 1, let chart = GrowthCharts.chart(shown, .bytesWritten, model) else { return nil }
    var section = Section(id: "rewrite", title: "Whole-file rewrite cost")
    section.lead = [
      "A whole-file store writes its whole file for one changed record; a database writes a few pages or an entry of its log. The share is the bytes of one save divided by the file size."
    ]
    section.charts = [chart]
    section.guide = GrowthCharts.guide
    var columns: [ItemColumn<(series: CostSeries, row: SummaryRow)>] = [
      .of(\.series, .backend), .of(\.row, .records), .number("file size") { Figure.total($0.row, \.fileBytes) },
      .number("one save writes") { Figure.count($0.row, \.bytesWrittenSettled) },
      .number("share") { NumberFormat.percent(share($0.row)) },
    ]
    if rows.contains(where: { $0.row.cost?.deviceBytes != nil }) {
      columns += [
        .number("reaches the device") { Figure.count($0.row, \.deviceBytes) },
        .number("per 1,000 saves") {
          $0.row.perOperation(\.deviceBytes).map { NumberFormat.bytes(1_000 * $0) } ?? "-"
        },
      ]
      section.lead.append(
        "What reaches the device is flash wear. For a synced save it is more than the store writes, since the file system adds whole blocks, its metadata and its journal. Saves without a sync reach the device together, so it may be less."
      )
    }
    section.tables = [Table("", of: rows.sorted { share($0.row) < share($1.row) }, columns)]
    return section
  }

  private static func share(_ row: SummaryRow) -> Double { row.cost?.rewriteShare ?? 0 }
}

/// The report section that states which results of a run on Linux also hold for an iPhone.
enum CarriesOverSection {
  static func section(_ model: ReportModel) -> Section? {
    guard !CostSeries.saves(in: model.series).isEmpty else { return nil }
    let ids = Set(model.rows.map(\.cell.backend.id))
    func has(_ backends: String...) -> Bool { !ids.isDisjoint(with: backends) }
    let items: [RichText?] = [
      has("sqlite", "sqlite-queue", "lmdb")
        ? "\(strong: "Bytes, writes and syncs of SQLite, GRDB and LMDB"): yes, with the same version, settings and page size. Apple compiles SQLite with other defaults, and its pages of memory have 16 KiB, which LMDB uses."
        : nil,
      "\(strong: "Growth with the number of records"): yes. A whole-file store rewrites its file on every system.",
      "\(strong: "Times"): no. Processor, flash and file system differ, and fsync does not wait for the drive there; F_FULLFSYNC does.",
      has("plist", "archive", "defaults")
        ? "\(strong: "UserDefaults, property lists and archives"): the file sizes and their growth, not the times. Foundation for Linux is another implementation, and on Apple\u{2019}s systems another process writes UserDefaults."
        : nil,
      has("object-graph")
        ? "\(strong: "Core Data and SwiftData"): the statements and pages, as far as Apple has published them. The work-alike is an engine written for this project."
        : nil,
    ]
    var section = Section(id: "iphone", title: "What carries over to an iPhone")
    section.guide = [
      "Counts depend on the engine and its settings, which are the same on an iPhone. Times depend on the device."
    ]
    section.isOpenOnPhones = true
    section.lists = [.init(items: items.compactMap { $0 })]
    return section
  }
}
