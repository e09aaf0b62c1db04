import StorageContract
import StorageStatistics

/// The report section with the main results in sentences, such as the fastest backends for each workload.
enum VerdictSection {
  static let id = "verdict"

  static func section(_ model: ReportModel) -> Section? {
    var section = Section(id: id, title: "Verdict")
    guard !model.rows.isEmpty else {
      section.lead = ["The plan has no cells: nothing was asked for."]
      return section
    }
    section.lead = [RichText(Phrases.count(model.rows))] + [nothingTimed(model)].compactMap { $0 }
    let failed = model.rows(.failed)
    let saves = CostSeries.saves(in: model.series).filter { !$0.isFloor }
    let growth = alike(saves) { GrowthPhrases.sentence(bytes: $0.bytesWritten, time: $0.time) }
    let frames = alike(saves.filter { !$0.timed.isEmpty }) { SizeLimit(SizeLimit.frame, of: $0).inFull }
    section.lists = [
      .init(title: "Who is fastest", items: VerdictSentences.winners(model.groups), terminalLimit: 12),
      .init(title: "What a small save costs as the store grows", items: growth, media: .page),
      .init(title: "Up to how many records a save fits into one frame (16.7 ms)", items: frames, media: .page),
      .init(
        title: "When a whole-file store becomes slower than a database", items: CrossoverSentences.verdicts(model),
        media: .page),
      .init(items: failed.map { "\(strong: "FAILED") \($0.cell.name): \($0.note)" }, media: .terminal),
    ]
    section.charts = [leads(model)].compactMap { $0 }
    section.tables = [Table("Failed cells", of: failed, refusals, media: .page)].filter { !$0.rows.isEmpty }
    section.guide = [
      model.runs.isEmpty
        ? "Backends are compared round by round, each round being a fresh process of each. The factor is the median of these ratios, with the interval in which it lies (96 % or more, by its order statistics)."
        : "Backends are compared run by run, by the medians of each. The factor is the median of these ratios, with the interval in which that of a further run would lie (95 %, Student\u{2019}s t of the logarithms).",
      "A winner is named only where the difference is over 5 % and the interval lies clear of 1: by half of its width between two backends, by three quarters of it between more. About equal: the whole interval lies within 5 %. Inconclusive: anything else. Fewer than six rounds name no winner.",
      "Work-alikes, emulated operations and rows that were timed once win nothing. All that promise at least the level compete; \(code: "^") marks one that \(Competition.exceeds). What each may lose after a power cut stands beside its name where those who compete differ in it.",
    ]
    return section
  }

  /// Returns a chart of the fastest backend's lead over the next slower one, with a row for each workload. Nil for
  /// fewer than two rows.
  private static func leads(_ model: ReportModel) -> IntervalChart? {
    let decided = model.groups.filter { $0.contest.decision?.next != nil }
    let rows = decided.largest.compactMap { group -> IntervalChart.Row? in
      guard let (leaders, found) = group.contest.decision, let next = found else { return nil }
      let names = Phrases.list(leaders.map { group.name($0.member) }, leaders.allSatisfy(\.isAboutEqual) ? "and" : "or")
      let answer = "\(names) before \(group.name(next.member))"
      return IntervalChart.Row(
        name: "\(group.title): \(answer)", value: next.slower.ratio, interval: next.slower.interval,
        text: NumberFormat.ratio(next.slower.ratio), mark: nil,
        hover: "\(group.title): \(answer), \(Phrases.factor(next.slower))")
    }.sorted { $0.value > $1.value }
    guard rows.count > 1 else { return nil }
    return IntervalChart(
      id: "leads", title: "The leaders' margin",
      summary: rows.map { "\($0.name), \($0.text)" }.joined(separator: "; ") + ".",
      note: "Factor by which the next one is slower, with its interval. Grey: under 5 %, treated as equal.",
      rows: rows, unit: NumberFormat.ratio, reference: 1,
      band: 1 / (1 + RowVerdict.margin)...1 + RowVerdict.margin)
  }

  private static func nothingTimed(_ model: ReportModel) -> RichText? {
    if model.trials == 0 {
      return
        "No trial has been run yet, so there are no figures. An interrupted run goes on with \(code: "\(model.plan.program) run --resume")."
    }
    if model.plan.once {
      return "Every cell was run once and verified; nothing was timed, so there are no figures."
    }
    if model.plan.rounds == 0 {
      return "This run counts bytes and calls; nothing was timed, so no backend is called faster."
    }
    return Phrases.undecided(model.groups, rounds: model.plan.rounds).map { RichText($0) }
  }

  /// Returns sentences `backends: answer`. Backends with equal durability and equal `answer` share a sentence.
  private static func alike(_ series: [CostSeries], _ answer: (CostSeries) -> String?) -> [RichText] {
    let answered = series.compactMap { series in answer(series).map { (series: series, answer: $0) } }
    return answered.grouped { [$0.series.durability?.rawValue, $0.answer] }.map { _, members in
      let one = members[0]
      return "\(strong: Phrases.list(members.map(\.series.name)))\(one.series.durability?.suffix ?? ""): \(one.answer)."
    }
  }

  /// The columns of tables of benchmarks without a result.
  static var refusals: [ItemColumn<SummaryRow>] {
    [.cell, .words("why") { $0.note.isEmpty ? "no reason given" : $0.note }]
  }
}

enum VerdictSentences {
  static func winners(_ groups: [ComparisonGroup]) -> [RichText] {
    groups.grouped(by: subject).compactMap { subject, members in
      let parts = parts(members.sorted { $0.records < $1.records })
      return parts.isEmpty ? nil : "\(strong: subject): \(parts.joined(separator: "; "))."
    }
  }

  private static func subject(_ group: ComparisonGroup) -> String {
    (["\(group.workload)"] + group.shape + [group.promise].compactMap { $0 }).joined(separator: ", ")
  }

  /// Returns the parts of a sentence on the fastest backends:
  /// `sqlite is 2× faster than lmdb at 100 records, 3× at 1,000`.
  private static func parts(_ groups: [ComparisonGroup]) -> [String] {
    var parts: [String] = []
    var last: String?
    var mentioned: Set<Spec> = []
    /// Returns the name of a backend. Its first mention may state the effect of a power cut.
    func name(_ row: SummaryRow, in group: ComparisonGroup) -> String {
      let isNew = (group.level == .intact || group.level == .crash) && mentioned.insert(row.cell.backend).inserted
      return group.name(row) + (isNew ? " (\(PowerCut.stake(row)))" : "")
    }
    for group in groups {
      // Consecutive store sizes with equal names share one part of the sentence.
      let who = answer(group, group.name)
      let size = Quantity.grouped(group.records)
      if let who, who == last {
        let factor = group.contest.decision?.next.map { "\(Phrases.factor($0.slower)) " } ?? ""
        parts[parts.count - 1] += ", \(factor)at \(size)"
      } else if let answer = answer(group, hasFactor: true, { name($0, in: group) }) {
        parts.append("\(answer) at \(size) records")
      }
      last = who
    }
    guard !parts.isEmpty else { return [] }
    let ahead = groups.unique { Phrases.ahead($0, $0.name) }
    return parts + ahead.compactMap { group in Phrases.ahead(group) { name($0, in: group) } }
  }

  /// Returns the fastest backends and the next slower one as text: `sqlite is 2× faster than lmdb`.
  private static func answer(
    _ group: ComparisonGroup, hasFactor: Bool = false, _ name: (SummaryRow) -> String
  ) -> String? {
    guard let (leaders, next) = group.contest.decision else { return nil }
    let names = leaders.map { name($0.member) }
    let together =
      leaders.allSatisfy(\.isAboutEqual)
      ? "\(Phrases.list(names)) are about equal"
      : "\(Phrases.list(names, "or")) is the fastest (\(Phrases.inconclusive(leaders.compactMap(\.comparison))))"
    guard let next else { return together }
    let who = leaders.count > 1 ? "\(together), and \(group.name(leaders[0].member)) is" : "\(names[0]) is"
    return "\(who) \(hasFactor ? "\(Phrases.factor(next.slower)) " : "")faster than \(name(next.member))"
  }
}
