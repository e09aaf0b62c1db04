import StorageContract

/// The report section on the cost of one small save by number of records, as a table with a row for each backend.
enum SignatureSection {
  static func section(_ model: ReportModel) -> Section? {
    let saves = CostSeries.saves(in: model.series)
    let shown = CostSeries.usual(saves)
    guard let pattern = saves.first, var table = table(model, shown) else { return nil }
    var section = Section(id: "saves", title: "One small save")
    table.footer = levels(model, pattern, except: shown.first?.durability)
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
    table(model, CostSeries.usual(CostSeries.saves(in: model.series)).filter { !$0.isFloor }, isBrief: true)
  }

  private static func table(_ model: ReportModel, _ saves: [CostSeries], isBrief: Bool = false) -> Table? {
    guard !model.plan.once, saves.contains(where: { $0.rows.contains(where: \.isSeen) }) else { return nil }
    let all = Set(saves.flatMap { $0.rows.map(\.cell.records) }).sorted()
    let sizes = all.count <= 4 ? all : [all[0]] + all.suffix(3)
    let asked = saves.first?.durability
    let set = asked == .shipped ? "each library as it ships" : "every library set to \(asked?.rawValue ?? "-")"
    var columns: [ItemColumn<CostSeries>] = [.backend]
    columns += sizes.map { size in
      // A narrow terminal leaves out the middle sizes, because the smallest and the largest show the growth.
      .number(Quantity.grouped(size), isOptional: size != sizes.first && size != sizes.last) {
        $0.row(at: size).map { Table.Field.time($0, Figure.answer($0), hover: $0.note) }
      }
    }
    columns.append(
      .number(isBrief ? "bytes" : "bytes/save") {
        $0.largestCounted.flatMap { Figure.count($0, \.bytesWrittenSettled) }
      })
    columns +=
      isBrief
      ? [.number("memory", isOptional: true) { $0.largestCounted.flatMap { Figure.total($0, \.peakAnonBytes) } }]
      : [
        .number("syncs") { $0.largestCounted.flatMap { Figure.count($0, \.syncs) } },
        .words("under 1 frame") { $0.timed.isEmpty ? nil : SizeLimit(SizeLimit.frame, of: $0).inWords },
      ]
    columns.append(
      .words("after a power cut") { $0.rows.contains(where: \.isFloor) ? "floor, not ranked" : $0.afterPowerCut })
    return Table("One small save into a store of N records, \(set)", of: saves.sorted { key($0) < key($1) }, columns)
  }

  private static func key(_ series: CostSeries) -> (Int, Double) {
    let position = Level.allCases.firstIndex(of: series.level ?? .volatile) ?? 0
    let time = series.rows.last { $0.status == .ok && $0.answerTime != nil }?.answerTime ?? .infinity
    return (series.isFloor ? 1 : -position, time)
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
    let ranked = ranking.compactMap { row -> RichText? in
      // The best backend's time is the median, because the ratios are ratios of medians.
      guard let best, let figure = row.cell == best.cell ? Figure.time(row) : Figure.ratio(row, to: best) else {
        return nil
      }
      return "\(group.name(row)) \(figure)\(row.isTimedOnce ? " (timed once)" : "")"
    }
    let rest = group.rows.filter { !ComparisonGroup.isRanked($0) && !$0.isFloor && $0.level != .volatile }
    let others = rest.map { row -> RichText in
      "\(Phrases.name(row)) \(Phrases.refusal(row) ?? (row.isDisturbed ? "disturbed" : "not timed"))"
    }
    return
      "\(strong: "The same, every library set \(promise), \(Quantity.grouped(group.records)) records:") \(RichText.joined(ranked + others, ", "))."
  }
}
