import StorageContract

/// The report section on the cost of one small save by number of records, as a table with a row for each backend.
enum SignatureSection {
  static func section(_ input: SectionInput) -> Section? {
    let model = input.model
    let saves = CostSeries.saves(in: model.series)
    // The table shows default settings or, if the plan has none, the plan's first durability (requested safety).
    let asked = saves.contains { $0.durability == .shipped } ? .shipped : saves.first?.durability
    let shown = saves.filter { $0.durability == asked }
    guard !input.model.plan.once, let pattern = saves.first,
      shown.contains(where: { $0.rows.contains(where: \.isSeen) })
    else { return nil }
    var section = Section(id: "saves", title: "One small save")
    var table = table(shown, asked)
    table.footer = levels(model, pattern, except: asked)
    section.tables = [table]
    section.guide = [
      "Bytes and syncs are those of one save into the largest store that was counted, with everything that is written later because of it. \u{201C}Under 1 frame\u{201D}: up to how many records the median save takes less than 16.7 ms.",
      "A time is the median of a save, or the mean, marked as such, where it is over 10 % longer: checkpoints and other rare work count.",
      "Backends with the strongest promise come first, and the fastest first among those that promise the same.",
    ]
    return section
  }

  /// Returns a small table of the costs of small saves, for a short report. Nil if the run measured no small saves.
  static func brief(_ model: ReportModel) -> Table? {
    let saves = CostSeries.saves(in: model.series)
    let asked = saves.contains { $0.durability == .shipped } ? .shipped : saves.first?.durability
    let shown = saves.filter { $0.durability == asked && !$0.isFloor }
    guard !model.plan.once, shown.contains(where: { $0.rows.contains(where: \.isSeen) }) else { return nil }
    return table(shown, asked, isBrief: true)
  }

  private static func sorted(_ saves: [CostSeries]) -> [CostSeries] {
    saves.enumerated().sorted { left, right in
      let keys = (key(left.element), key(right.element))
      return keys.0 != keys.1 ? keys.0 < keys.1 : left.offset < right.offset
    }.map(\.element)
  }

  private static func table(_ saves: [CostSeries], _ asked: Durability?, isBrief: Bool = false) -> Table {
    let series = sorted(saves)
    let all = Set(series.flatMap { $0.rows.map(\.cell.records) }).sorted()
    let sizes = all.count <= 4 ? all : [all[0]] + all.suffix(3)
    let set = asked == .shipped ? "each library as it ships" : "every library set to \(asked?.rawValue ?? "-")"
    return Table(
      "One small save into a store of N records, \(set)",
      [.words("backend")]
        // A narrow terminal leaves out the middle sizes, because the smallest and the largest show the growth.
        + sizes.map { .number(Quantity.grouped($0), isOptional: $0 != sizes.first && $0 != sizes.last) }
        + (isBrief
          ? [.number("bytes"), .number("memory", isOptional: true)]
          : [.number("bytes/save"), .number("syncs"), .words("under 1 frame")])
        + [.words("after a power cut")],
      series.map { fields($0, sizes, isBrief) })
  }

  private static func key(_ series: CostSeries) -> (Int, Double) {
    let position = Level.allCases.firstIndex(of: series.level ?? .volatile) ?? 0
    let time = series.rows.last { $0.status == .ok && $0.answerTime != nil }?.answerTime ?? .infinity
    return (series.isFloor ? 1 : -position, time)
  }

  private static func fields(_ series: CostSeries, _ sizes: [Int], _ isBrief: Bool) -> [Table.Field] {
    let times = sizes.map { size -> Table.Field in
      guard let row = series.row(at: size) else { return .unmeasured }
      if let refusal = Phrases.refusal(row) {
        return .init(RichText(refusal), kind: row.status == .failed ? .failed : .absent, hover: row.note)
      }
      guard let time = Figure.answer(row) else { return .unmeasured }
      return .init(row.isTimedOnce ? "\(time) ×1" : "\(time)")
    }
    let counted = series.largestCounted
    let isTimed = !series.timed.isEmpty
    let costs: [Table.Field] =
      isBrief
      ? [.init(counted.flatMap { .bytes($0, \.peakAnonBytes, "peak_anon_bytes") })]
      : [
        .init(counted.flatMap { .count($0, \.syncs, "syncs", NumberFormat.perOperation) }),
        .init(text: isTimed ? SizeLimit(SizeLimit.frame, of: series).inWords : ""),
      ]
    return [.init(RichText(series.name))] + times
      + [.init(counted.flatMap { .count($0, \.bytesWrittenSettled, "bytes_written_settled", NumberFormat.bytes) })]
      + costs
      + [.init(RichText(series.rows.contains(where: \.isFloor) ? "floor, not ranked" : series.afterPowerCut))]
  }

  private static func levels(_ model: ReportModel, _ pattern: CostSeries, except shown: Durability?) -> [RichText] {
    Durability.allCases.reversed().compactMap { durability in
      guard durability != .shipped, durability != shown else { return nil }
      let groups = model.groups.filter {
        pattern.covers($0) && $0.durability == durability && $0.rows.contains { !$0.isDisturbed }
      }
      return groups.max { $0.records < $1.records }.map { line($0, durability) }
    }
  }

  private static func line(_ group: ComparisonGroup, _ durability: Durability) -> RichText {
    let promise =
      switch durability {
      case .durable: "to lose nothing (durable)"
      case .intact: "to open after a power cut (intact)"
      case .crash, .shipped: "to survive its process (crash)"
      }
    // The best backend comes first, because all ratios are relative to its time. A work-alike may be faster.
    let best = group.best
    let ranking = group.ranking.filter { $0.cell == best?.cell } + group.ranking.filter { $0.cell != best?.cell }
    var parts: [RichText] = []
    for row in ranking {
      // The best backend's time is the median, because the ratios are ratios of medians.
      guard let best, let figure = row.cell == best.cell ? Figure.time(row) : Figure.ratio(row, to: best) else {
        continue
      }
      parts.append("\(group.name(row)) \(figure)\(row.isTimedOnce ? " (timed once)" : "")")
    }
    for row in group.rows where !ComparisonGroup.isRanked(row) && !row.isFloor && row.level != .volatile {
      parts.append("\(Phrases.name(row)) \(Phrases.refusal(row) ?? (row.isDisturbed ? "disturbed" : "not timed"))")
    }
    return
      "\(strong: "The same, every library set \(promise), \(Quantity.grouped(group.records)) records:") \(RichText.joined(parts, ", "))."
  }
}

extension SummaryRow {
  /// Whether the benchmark has a result to show, even if it failed.
  var isSeen: Bool { processes > 0 || cost != nil || status == .failed }
}
