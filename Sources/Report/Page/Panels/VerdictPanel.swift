import StorageContract
import StorageStatistics

/// The answers in words: who is fastest, how the cost grows, up to where a save fits a frame, where whole files lose.
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
      ("From where on a whole file loses to pages", CrossoverSentences.verdicts(model)),
    ].filter { !$0.1.isEmpty }
    panel.charts = [leads(model)].compactMap { $0 }
    let failed = model.rows(.failed)
    if !failed.isEmpty {
      panel.tables = [PanelTable("Failed cells", [.words("cell"), .words("why")], failed.map(refusal))]
    }
    panel.guide = [
      "Backends are compared round by round, each round being a fresh process of each. The factor is the median of these ratios, with the interval in which it lies (96 % or more, by its order statistics).",
      "A winner is named only where that interval lies clear of 1, by three quarters of its own width where it beats several and by half of it where there are two, and the difference is over 5 %. About equal: the whole interval lies within 5 %. Inconclusive: anything else. Fewer than six rounds name no winner.",
      "What is emulated, a lookalike (\(code: "+")) or timed once wins nothing. Only equal promises are compared: durable with durable, intact with intact. \(code: "^") marks one that promises more than was asked and competes all the same.",
    ]
    return panel
  }

  /// By how much winners lead: a line for each group that has one, at its largest N.
  private static func leads(_ model: ReportModel) -> IntervalChart? {
    let decided = model.groups.compactMap { group -> (group: ComparisonGroup, row: IntervalChart.Row)? in
      guard case .decided(let leaders, let next?) = group.contest else { return nil }
      let names = Phrases.list(leaders.map { Phrases.name($0.row) }, leaders.areAboutEqual ? "and" : "or")
      let answer = "\(names) before \(Phrases.name(next.row))"
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
      id: "leads", title: "By how much the fastest lead",
      summary: rows.map { "\($0.name), \($0.text)" }.joined(separator: "; ") + ".",
      note: "Factor by which the next one is slower, with its interval. Grey: within 5 %, where nobody cares.",
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
    CostSeries.saves(in: model.series).filter { !$0.isFloor }.compactMap { series in
      let bytes = GrowthPhrases.slope(series.bytesWritten)
      let time = GrowthPhrases.slopeWithInterval(series.time)
      guard bytes != nil || time != nil else { return nil }
      var parts: [String] = []
      if let bytes { parts.append("bytes per save: \(bytes)") }
      if let time { parts.append("time: \(time)") }
      // The same verb is said once.
      if let slopes = GrowthPhrases.slopes(bytes: series.bytesWritten, time: series.time) { parts = [slopes] }
      return "\(strong: series.name)\(Self.asked(series)): \(parts.joined(separator: "; "))."
    }
  }

  private static func frames(_ model: ReportModel) -> [RichText] {
    struct Key: Hashable {
      var durability: Durability?
      var answer: String
    }
    let timed = CostSeries.saves(in: model.series).filter { !$0.isFloor && !$0.timed.isEmpty }
    // Those with the same answer share a line.
    let groups = timed.grouped {
      Key(durability: $0.durability, answer: SizeLimit(SizeLimit.frame, of: $0).inFull)
    }
    return groups.map { key, members in
      "\(strong: Phrases.list(members.map(\.name)))\(asked(members[0])): \(key.answer)."
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
