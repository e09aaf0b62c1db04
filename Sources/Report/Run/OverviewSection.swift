import StorageContract

/// The report section with an overview table for terminals. Saves of one record are in another table.
enum OverviewSection {
  static func section(_ input: SectionInput) -> Section? {
    let model = input.model
    var section = Section(id: "overview", title: "Overview")
    let saves = CostSeries.saves(in: model.series)
    if model.plan.once {
      section.tables = [triedCells(model)]
    } else if let pattern = saves.first, saves.contains(where: { $0.rows.contains(where: \.isSeen) }) {
      let others = model.groups.filter { !pattern.covers($0) }
      guard !others.isEmpty else { return nil }
      section.tables = [workloads(others, planned: model.backends)]
    } else if model.rows.contains(where: { !YCSBTerms.isMix($0) }) {
      section.tables = [cells(model)]
    } else {
      return nil
    }
    section.lists = [.init(nil, [Likenesses(model.rows).sentence].compactMap { $0 })].filter { !$0.items.isEmpty }
    return section
  }

  private static func cells(_ model: ReportModel) -> Table {
    let rows = model.rows.map { row -> [Table.Field] in
      let refusal = Phrases.refusal(row)
      let isShown = refusal == nil
      return [
        .init("\(code: row.cell.name)"), .init(isShown ? Figure.time(row) : nil),
        .init(text: row.p50Interval?.relativeHalfWidth.map(NumberFormat.plusMinus) ?? ""),
        .init(text: isShown ? row.operationsPerSecond.map(NumberFormat.rate) ?? "" : ""),
        .init(.count(row, \.bytesWrittenSettled, "bytes_written_settled", NumberFormat.bytes)),
        .init(.count(row, \.syncs, "syncs", NumberFormat.perOperation)),
        .init(
          RichText(refusal ?? (row.fidelity == .emulated ? "ok, emulated" : "ok")),
          kind: row.status == .failed ? .failed : .value),
      ]
    }
    return Table(
      "",
      [
        .words("cell"), .number("p50"), .number("interval"), .number("ops/s"), .number("bytes/op"),
        .number("syncs/op"), .words("status"),
      ], rows)
  }

  private static func triedCells(_ model: ReportModel) -> Table {
    let rows = model.rows.map { row -> [Table.Field] in
      let refusal = Phrases.refusal(row)
      return [
        .init("\(code: row.cell.name)"),
        .init(text: row.cost.map { Quantity.grouped($0.countedOperations) } ?? "-"),
        .init(RichText(row.cost.map { $0.digest ?? "not verified" } ?? "-")),
        .init(
          RichText(refusal ?? (row.fidelity == .emulated ? "ok, emulated" : "ok")),
          kind: row.status == .failed ? .failed : .value),
      ]
    }
    return Table(
      "Each cell once, neither timed nor counted",
      [.words("cell"), .number("operations"), .words("digest of what it left"), .words("status")], rows)
  }

  private static func workloads(_ groups: [ComparisonGroup], planned: [Spec]) -> Table {
    let rows = groups.flatMap(\.rows)
    let present = Set(rows.map(\.cell.backend))
    let backends = planned.filter(present.contains)
    let rowOf = Dictionary(rows.map { ($0.cell.backend, $0) }, uniquingKeysWith: { first, _ in first })
    // Results at all safety levels share a table row. A star marks the fastest backend of those at least as safe.
    let fields = groups.grouped(by: title).map { title, members in
      [Table.Field(RichText(title))] + backends.map { field(members, $0) }
    }
    let shown = fields.flatMap { $0.dropFirst().map(\.words.text) }
    let marks = Set(shown.compactMap(\.last))
    var legend: [String] = []
    if marks.contains("*") { legend.append("* fastest of all that promise as much") }
    // This table shortens the mark `emulated` to `e`, so a legend explains it.
    if shown.contains(where: { $0.contains(emulated) }) { legend.append("e \(Term.emulated.words)") }
    return Table(
      "The other workloads, median of one operation",
      [.words("workload")] + backends.map { .number(Phrases.name($0, like: rowOf[$0])) }, fields,
      footer: legend.isEmpty ? [] : [RichText(legend.joined(separator: "; ") + ".")])
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
    if let refusal = Phrases.refusal(row) {
      return .init(RichText(refusal), kind: row.status == .failed ? .failed : .absent)
    }
    guard let time = Figure.time(row) else { return .unmeasured }
    var words: RichText = "\(time)"
    if row.isTimedOnce { words = "\(words) ×1" }
    if row.fidelity == .emulated { words = "\(words)\(emulated)" }
    if group.exceeds(row) { words = "\(words)^" }
    let marks = groups.compactMap { mark(row, in: $0) }
    return .init("\(words)\(marks.contains("*") ? "*" : marks.first ?? "")")
  }

  /// Returns `*` for the single fastest backend, `~` for a backend about as fast, `?` for an inconclusive comparison,
  /// otherwise nil.
  private static func mark(_ row: SummaryRow, in group: ComparisonGroup) -> String? {
    guard ComparisonGroup.canWin(row), let (leaders, next) = group.contest.decision else { return nil }
    guard row.cell == leaders[0].member.cell else { return group.mark(of: row) }
    return leaders.count == 1 && next != nil ? "*" : leaders.allSatisfy(\.isAboutEqual) ? "~" : "?"
  }
}
