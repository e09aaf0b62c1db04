import StorageContract
import StorageStatistics

/// The answers in words: who is fastest, how the cost grows, up to where a save fits a frame, when whole files become slower than databases.
enum VerdictPanel: PanelBuilder {
  /// Its name in links.
  static let id = "verdict"

  static func panel(_ input: PanelInput) -> Panel? {
    let model = input.model
    var panel = Panel(id: id, title: "Verdict")
    guard !model.rows.isEmpty else {
      panel.lead = ["The plan has no cells: nothing was asked for."]
      return panel
    }
    panel.lead = [RichText(Phrases.count(model.rows))] + [nothingTimed(model)].compactMap { $0 }
    panel.lists = [
      ("Who is fastest", VerdictSentences.winners(model.groups)),
      ("What a small save costs as the store grows", growth(model)),
      ("Up to how many records a save fits into one frame (16.7 ms)", frames(model)),
      ("When a whole-file store becomes slower than a database", CrossoverSentences.verdicts(model)),
    ].filter { !$0.1.isEmpty }
    panel.charts = [leads(model)].compactMap { $0 }
    let failed = model.rows(.failed)
    if !failed.isEmpty {
      panel.tables = [PanelTable("Failed cells", [.words("cell"), .words("why")], failed.map(refusal))]
    }
    panel.guide = [
      "Backends are compared round by round, each round being a fresh process of each. The factor is the median of these ratios, with the interval in which it lies (96 % or more, by its order statistics).",
      "A winner is named only where that interval lies clear of 1, by three quarters of its own width where it beats several and by half of it where there are two, and the difference is over 5 %. About equal: the whole interval lies within 5 %. Inconclusive: anything else. Fewer than six rounds name no winner.",
      "What is emulated, a lookalike (\(code: "+")) or timed once wins nothing. All that promise at least the level compete; \(code: "^") marks one that \(Competition.exceeds). What each may lose after a power cut stands beside its name where those who compete differ in it.",
    ]
    return panel
  }

  /// By how much winners lead: a line for each group that has one, at its largest N.
  private static func leads(_ model: ReportModel) -> IntervalChart? {
    let decided = model.groups.compactMap { group -> (group: ComparisonGroup, row: IntervalChart.Row)? in
      guard case .decided(let leaders, let next?) = group.contest else { return nil }
      let names = Phrases.list(leaders.map { group.name($0.row) }, leaders.areAboutEqual ? "and" : "or")
      let answer = "\(names) before \(group.name(next.row))"
      return (
        group,
        IntervalChart.Row(
          name: "\(group.title): \(answer)", value: next.slower.ratio, interval: next.slower.interval,
          text: NumberFormat.ratio(next.slower.ratio), mark: nil,
          hover: "\(group.title): \(answer), \(Phrases.factor(next.slower))")
      )
    }
    let rows = decided.filter { one in
      !decided.contains { $0.group.hasSubject(of: one.group) && $0.group.records > one.group.records }
    }.map(\.row).sorted { $0.value > $1.value }
    guard rows.count > 1 else { return nil }
    return IntervalChart(
      id: "leads", title: "The leaders' margin",
      summary: rows.map { "\($0.name), \($0.text)" }.joined(separator: "; ") + ".",
      note: "Factor by which the next one is slower, with its interval. Grey: under 5 %, treated as equal.",
      rows: rows, unit: NumberFormat.ratio, reference: 1,
      band: 1 / (1 + RowVerdict.margin)...1 + RowVerdict.margin)
  }

  /// Why a run has no times, or no winners.
  private static func nothingTimed(_ model: ReportModel) -> RichText? {
    if model.trials == 0 {
      return
        "No trial has been run yet, so there are no figures. An interrupted run goes on with \(code: "storage-bench run --resume")."
    }
    if model.plan.once {
      return "Every cell was run once and verified; nothing was timed, so there are no figures."
    }
    if model.plan.rounds == 0 {
      return "This run counts bytes and calls; nothing was timed, so no backend is called faster."
    }
    return Phrases.undecided(model.groups, rounds: model.plan.rounds).map { RichText($0) }
  }

  private static func growth(_ model: ReportModel) -> [RichText] {
    alike(CostSeries.saves(in: model.series).filter { !$0.isFloor }) {
      GrowthPhrases.sentence(bytes: $0.bytesWritten, time: $0.time)
    }
  }

  private static func frames(_ model: ReportModel) -> [RichText] {
    alike(CostSeries.saves(in: model.series).filter { !$0.isFloor && !$0.timed.isEmpty }) {
      SizeLimit(SizeLimit.frame, of: $0).inFull
    }
  }

  /// A line for each answer; those with the same one share it.
  private static func alike(_ series: [CostSeries], _ answer: (CostSeries) -> String?) -> [RichText] {
    struct Key: Hashable {
      var durability: Durability?
      var answer: String
    }
    let answered = series.compactMap { series in
      answer(series).map { (series: series, key: Key(durability: series.durability, answer: $0)) }
    }
    return answered.grouped { $0.key }.map { key, members in
      "\(strong: Phrases.list(members.map(\.series.name)))\(asked(members[0].series)): \(key.answer)."
    }
  }

  /// ` (durable)` where another level than the shipped one was asked for.
  static func asked(_ series: CostSeries) -> String {
    guard let durability = series.durability, durability != .shipped else { return "" }
    return " (\(durability.rawValue))"
  }

  /// A cell without figures and why.
  static func refusal(_ row: SummaryRow) -> [PanelTable.Field] {
    [
      PanelTable.Field("\(code: row.cell.name)"),
      PanelTable.Field(RichText(row.note.isEmpty ? "no reason given" : row.note)),
    ]
  }
}
