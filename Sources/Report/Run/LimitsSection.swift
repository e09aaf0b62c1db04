import StorageContract
import StorageStatistics

/// The report section on size limits: the number of records up to which a save takes at most one screen frame, or a
/// file store is faster than a database.
enum LimitsSection {
  static func section(_ model: ReportModel) -> Section? {
    let saves = CostSeries.saves(in: model.series).filter { !$0.timed.isEmpty }
    let crossovers = crossoverTables(model).filter { !$0.rows.isEmpty }
    guard !saves.isEmpty || !crossovers.isEmpty else { return nil }
    var section = Section(id: "limits", title: "Frame limit and crossovers")
    section.lead = [
      "Up to how many records the median save stays within one frame of 60 or 120 a second, and from how many records on a store that writes its whole file is slower than a database, which writes pages. The usual rule of thumb puts that place at \u{201C}a few megabytes\u{201D}; here it is measured, in records and in the size of the file."
    ]
    let frames = Durability.allCases.map { asked in frameChart(saves.filter { $0.durability == asked }, model) }
    section.charts = (frames + [crossoverChart(model)]).compactMap { $0 }
    let limits = Table(
      "Frame limit", of: saves,
      [
        .backend, .asked, .level, .words("under 16.7 ms (60 Hz)") { SizeLimit(SizeLimit.frame, of: $0).inFull },
        .words("under 8.3 ms (120 Hz)") { SizeLimit(SizeLimit.frame / 2, of: $0).inFull },
      ])
    section.tables = ([limits] + crossovers).filter { !$0.rows.isEmpty }
    section.guide = [
      "Between the sizes that were measured the place is read off the fitted curve, bent to go through the medians. Its interval is that of the same place read off each round. \u{201C}Extrapolated\u{201D}: outside of the sizes that were measured, at most ten times, from three sizes on. Its interval allows the curve to bend on as it did in the last step; where the interval is too wide, there is no figure.",
      "A crossover is claimed only where the rounds agree on opposite winners at two sizes. \u{201C}under 100\u{201D}: the whole-file store is slower at the smallest size already. \u{201C}over 10,000\u{201D}: it is still faster at the largest. Databases that do not differ at the largest size share a line; its figure is that to the first of them. So do stores and databases with the same answer. \(code: "^"): \(Competition.exceeds).",
      "The median is what is compared with the frame: one save in two takes longer. The tail is in the section on latency.",
    ]
    return section
  }

  private static func frameChart(_ saves: [CostSeries], _ model: ReportModel) -> IntervalChart? {
    let limits = saves.compactMap { series -> (CostSeries, SizeLimit, Crossing)? in
      let limit = SizeLimit(SizeLimit.frame, of: series)
      return limit.at.map { (series, limit, $0) }
    }
    // With a single store size, each backend is only over or under the limit, which needs no chart.
    guard let smallest = limits.map(\.1.smallest).min(), let largest = limits.map(\.1.largest).max(),
      smallest < largest, let durability = saves.first?.durability
    else { return nil }
    let rows = limits.map { series, limit, crossing in
      IntervalChart.Row(
        name: series.name, value: crossing.size, interval: limit.interval, text: limit.inWords,
        mark: model.mark(series.backend), hover: "\(series.name): \(limit.inFull)")
    }
    return IntervalChart(
      id: "frame-limit-\(durability.rawValue)",
      title: "Up to how many records one save takes under 16.7 ms, \(durability.words)",
      summary: rows.map { "\($0.name) \($0.text)" }.joined(separator: "; ") + ".",
      note:
        "Records, with interval. Arrows lead beyond the sizes measured (\(Quantity.grouped(smallest)) to \(Quantity.grouped(largest))).",
      rows: rows, unit: { NumberFormat.short(Quantity.whole($0)) },
      range: Double(smallest)...Double(largest))
  }

  private static func crossoverChart(_ model: ReportModel) -> IntervalChart? {
    let found = Contest.all(in: model.series).flatMap { contest in
      contest.told(.time).compactMap { crossover, pages -> IntervalChart.Row? in
        guard case .at(let records, let interval) = crossover.position else { return nil }
        let subject = ["\(contest.workload)", contest.promise].compactMap { $0 }.joined(separator: ", ")
        let rivals = Phrases.list(pages.map(contest.name), "or")
        return IntervalChart.Row(
          name: "\(contest.name(crossover.wholeFile)) to \(rivals): \(subject)", value: records, interval: interval,
          text: NumberFormat.about(records), mark: nil, hover: CrossoverSentences.inFull(crossover, contest, pages))
      }
    }
    guard !found.isEmpty else { return nil }
    let rows = found.sorted { $0.value < $1.value }
    return IntervalChart(
      id: "crossovers", title: "From how many records on a whole-file store is slower than a database",
      summary: rows.map { "\($0.name) from \($0.text) records on" }.joined(separator: "; ") + ".",
      note: "Records, with interval.", rows: rows, unit: { NumberFormat.short(Quantity.whole($0)) })
  }

  private static func crossoverTables(_ model: ReportModel) -> [Table] {
    let contests = Contest.all(in: model.series)
    return Crossover.Measure.allCases.map { measure in
      let told = contests.flatMap { contest in
        contest.told(measure).map { crossover, pages in
          CrossoverRow(
            stores: [contest.name(crossover.wholeFile)], databases: pages.map(contest.name),
            workload: "\(contest.workload)", level: contest.promise ?? "-",
            answer: CrossoverSentences.inShort(crossover),
            hover: [CrossoverSentences.inFull(crossover, contest, pages)])
        }
      }
      let more = measure == .time ? "is slower than a database" : "writes more bytes than a database"
      return Table(
        "From how many records on a whole-file store \(more)",
        of: CrossoverRow.merged(CrossoverRow.merged(told, \.stores, \.databases), \.databases, \.stores),
        [
          .words("whole-file store") { $0.stores.joined(separator: ", ") }, .words("workload", \.workload),
          .words("level", \.level), .words("databases") { $0.databases.joined(separator: ", ") },
          .words("records") { Table.Field(RichText($0.answer), hover: $0.hover.joined(separator: " ")) },
        ])
    }
  }
}

private struct CrossoverRow {
  var stores: [String]
  var databases: [String]
  var workload: String
  var level: String
  var answer: String
  var hover: [String]

  /// Merges table rows that differ only in `names` (the stores or the databases) and have equal `others`.
  static func merged(
    _ all: [CrossoverRow], _ names: WritableKeyPath<CrossoverRow, [String]>, _ others: KeyPath<CrossoverRow, [String]>
  ) -> [CrossoverRow] {
    all.grouped { [$0.workload, $0.level, $0.answer] + $0[keyPath: others] }.map { _, members in
      var one = members[0]
      (one[keyPath: names], one.hover) = (members.flatMap { $0[keyPath: names] }, members.flatMap(\.hover))
      return one
    }
  }
}
