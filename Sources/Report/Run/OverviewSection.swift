import StorageContract

/// The report section with an overview table for terminals. Saves of one record are in another table.
enum OverviewSection {
  static func section(_ model: ReportModel) -> Section? {
    var section = Section(id: "overview", title: "Overview")
    let saves = CostSeries.saves(in: model.series)
    if model.plan.once {
      section.tables = [triedCells(model)]
    } else if let pattern = saves.first, saves.contains(where: { $0.rows.contains(where: \.isSeen) }) {
      let others = model.groups.filter { !pattern.covers($0) }
      guard !others.isEmpty else { return nil }
      section.tables = [workloads(others, planned: model.backends)]
    } else if model.rows.contains(where: { !$0.isMix }) {
      section.tables = [cells(model)]
    } else {
      return nil
    }
    section.lists = [.init(items: [Likenesses(model.rows)?.sentence].compactMap { $0 })]
    return section
  }

  private static func cells(_ model: ReportModel) -> Table {
    Table(
      "", of: model.rows,
      [
        .cell, .number("p50") { $0.status == .ok ? Figure.time($0) : nil },
        .number("interval") { $0.p50Interval?.relativeHalfWidth.map(NumberFormat.plusMinus) },
        .number("ops/s") { $0.status == .ok ? $0.operationsPerSecond.map(NumberFormat.rate) : nil },
        .number("bytes/op") { Figure.count($0, \.bytesWrittenSettled) },
        .number("syncs/op") { Figure.count($0, \.syncs) }, .words("status", status),
      ])
  }

  private static func status(_ row: SummaryRow) -> Table.Field {
    .init(
      RichText(Phrases.refusal(row) ?? (row.fidelity == .emulated ? "ok, emulated" : "ok")),
      kind: row.status == .failed ? .failed : .value)
  }

  private static func triedCells(_ model: ReportModel) -> Table {
    Table(
      "Each cell once, neither timed nor counted", of: model.rows,
      [
        .cell, .number("operations") { $0.cost.map { Quantity.grouped($0.countedOperations) } ?? "-" },
        .words("digest of what it left") { $0.cost.map { $0.digest ?? "not verified" } ?? "-" },
        .words("status", status),
      ])
  }

  private static func workloads(_ groups: [ComparisonGroup], planned: [Spec]) -> Table {
    let rows = groups.flatMap(\.rows)
    let rowOf = Dictionary(rows.map { ($0.cell.backend, $0) }, uniquingKeysWith: { first, _ in first })
    // Results at all safety levels share a table row. A star marks the fastest backend of those at least as safe.
    var table = Table(
      "The other workloads, median of one operation", of: groups.grouped(by: title),
      [.words("workload", \.key)]
        + planned.filter { rowOf[$0] != nil }.map { backend in
          .number(Phrases.name(backend, like: rowOf[backend])) { field($0.members, backend) }
        })
    let shown = table.rows.flatMap { $0.dropFirst().map(\.words.text) }
    // This table shortens the mark `emulated` to `e`, so a legend explains it.
    let legend = [
      shown.contains { $0.last == "*" } ? "* fastest of all that promise as much" : nil,
      shown.contains { $0.contains(emulated) } ? "e \(Term.emulated.words)" : nil,
    ].compactMap { $0 }
    table.footer = legend.isEmpty ? [] : [RichText(legend.joined(separator: "; ") + ".")]
    return table
  }

  private static func title(_ group: ComparisonGroup) -> String {
    var parts = ["\(group.workload)", NumberFormat.short(group.records)] + group.work.conditionMarks
    if let durability = group.durability, durability != .shipped { parts.append(durability.rawValue) }
    return parts.joined(separator: " ")
  }

  /// The mark after the time of an operation that the suite emulates.
  private static let emulated = " e"

  private static func field(_ groups: [ComparisonGroup], _ backend: Spec) -> Table.Field {
    // The last group has the weakest safety level and the most competitors, so it comes first here.
    let groups = groups.reversed().filter { $0.row(of: backend) != nil }
    guard let group = groups.first, let row = group.row(of: backend) else { return .unmeasured }
    if let refusal = Table.Field.refusal(row) { return refusal }
    guard let time = Figure.time(row) else { return .unmeasured }
    let marks = groups.compactMap { mark(row, in: $0) }
    let all = [
      row.isTimedOnce ? " ×1" : "", row.fidelity == .emulated ? emulated : "", group.exceeds(row) ? "^" : "",
      marks.contains("*") ? "*" : marks.first ?? "",
    ]
    return .init("\(time)\(all.joined())")
  }

  /// Returns `*` for the single fastest backend, `~` for a backend about as fast, `?` for an inconclusive comparison,
  /// otherwise nil.
  private static func mark(_ row: SummaryRow, in group: ComparisonGroup) -> String? {
    guard row.canWin, let (leaders, next) = group.contest.decision else { return nil }
    guard row.cell == leaders[0].member.cell else { return group.mark(of: row) }
    return leaders.count == 1 && next != nil ? "*" : leaders.allSatisfy(\.isAboutEqual) ? "~" : "?"
  }
}
