import StorageContract

/// The signature comparison again with every library set to one level: a line of ratios for each level.
enum DurabilityLines {
  /// A section for each level that was asked for, at its largest N, but for the one that the table above shows.
  static func sections(
    _ model: ReportModel, _ pattern: CostSeries, except shown: Durability?, width: Int
  ) -> [[String]] {
    Durability.allCases.reversed().compactMap { durability -> [String]? in
      guard durability != .shipped, durability != shown else { return nil }
      let groups = model.groups.filter {
        pattern.covers($0) && $0.durability == durability
      }
      guard let group = groups.max(by: { $0.records < $1.records }) else { return nil }
      return lines(group, durability, width)
    }
  }

  private static func lines(_ group: ComparisonGroup, _ durability: Durability, _ width: Int) -> [String] {
    let promise =
      switch durability {
      case .durable: "to lose nothing (durable)"
      case .intact: "to open after a power cut (intact)"
      case .crash, .shipped: "to survive its process (crash)"
      }
    // The best first, since the others are shown relative to it; a lookalike may be faster.
    let best = group.best
    let ranking = group.ranking.filter { $0.cell == best?.cell } + group.ranking.filter { $0.cell != best?.cell }
    var parts: [String] = []
    for row in ranking {
      guard let best, let time = row.typicalTime, let factor = group.factor(of: row) else { continue }
      var part = group.name(row) + " "
      part += row.cell == best.cell ? NumberFormat.time(time) : NumberFormat.ratio(factor)
      if row.isTimedOnce { part += " x1" }
      // A backend and its figure stay on one line.
      parts.append(part)
    }
    for row in group.rows where !ComparisonGroup.isRanked(row) && !row.isFloor && row.level != .volatile {
      parts.append("\(Phrases.name(row)) \(Phrases.refusal(row) ?? "not timed")")
    }
    let title = "The same, every library set \(promise), \(Quantity.grouped(group.records)) records"
    let lines = TerminalTable.filled(
      parts.indices.map { $0 == 0 ? parts[$0] : " " + parts[$0] }, width: width)
    let legend = group.rows.contains(where: group.exceeds) ? ["^ \(Competition.exceeds)"] : []
    return [title] + lines.map { $0.hasPrefix("   ") ? String($0.dropFirst(1)) : $0 } + legend
  }
}
