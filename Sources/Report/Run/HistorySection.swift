import StorageContract
import StorageRunFiles

/// Counts over several runs: what a change of the code or of an engine has moved. Counts are exact, so that every
/// change is one; times of other runs are not judged, and of two runs on one machine shown side by side.
enum HistorySection: SectionBuilder {
  static func section(_ input: SectionInput) -> Section? {
    let runs = input.model.history
    guard runs.count > 1 else { return nil }
    var section = Section(id: "history", title: "History")
    var rows: [[Table.Field]] = []
    var lines: [HistoryChart.Line] = []
    var compared = 0
    for planned in input.model.plan.cells {
      for (name, path, unit) in RunHistory.counts {
        let values = runs.map { $0.perOperation[planned.cell]?[name] }
        let known = values.compactMap { $0 }
        guard known.count > 1, let first = known.first else { continue }
        compared += 1
        // Allocations differ by a little from run to run.
        let margin = path == \Cost.allocations ? 0.01 : 0
        guard known.contains(where: { abs($0 - first) > margin * first }) else { continue }
        let title = "\(planned.cell.name), \(name) per operation"
        rows.append(
          [.init("\(code: planned.cell.name)"), .init(RichText(name))]
            + values.map { value in
              value.map { .init(RichText(unit($0))) } ?? .unmeasured
            })
        lines.append(.init(name: title, mark: input.mark(planned.cell.backend), values: values, unit: unit))
      }
    }
    section.lead = [
      rows.isEmpty
        ? "None of \(Quantity.grouped(compared)) counts changed over \(runs.count) runs."
        : "\(Quantity.grouped(rows.count)) of \(Quantity.grouped(compared)) counts changed over \(runs.count) runs."
    ]
    if !rows.isEmpty {
      section.charts = [
        HistoryChart(
          id: "history", title: "Counts that changed, relative to their first run",
          summary: lines.prefix(20).map { line in
            "\(line.name): \(line.values.map { $0.map(line.unit) ?? "-" }.joined(separator: ", "))"
          }.joined(separator: "; ") + ".",
          note: "Runs from left to right: \(runs.map(\.name).joined(separator: ", ")).", runs: runs.map(\.name),
          lines: Array(lines.prefix(20)))
      ]
      section.tables = [
        Table(
          "What changed, per operation",
          [.words("cell"), .words("count")]
            + runs.map { .number("\($0.name)" + ($0.revision.map { " (\($0))" } ?? "")) },
          rows)
      ]
    }
    if let table = differences(runs) { section.tables.append(table) }
    section.guide = [
      "Runs stand in the order in which they were given, each with its revision. Only counts are compared: they are exact, and the same on every machine."
    ]
    let shown = curves(input)
    if !shown.isEmpty {
      section.lead.append(RunCurves.lead)
      section.charts += shown.map(\.chart)
      section.tables += shown.map(\.table)
      section.guide += RunCurves.guide
    }
    return section
  }

  /// What the runs differ in beside their cells; nil where they are alike.
  private static func differences(_ runs: [RunHistory]) -> Table? {
    let names = Set(runs.flatMap(\.conditions.keys)).sorted()
    let rows = names.compactMap { name -> [Table.Field]? in
      let values = runs.map { $0.conditions[name] }
      guard Set(values).count > 1 else { return nil }
      return [.init(RichText(name))] + values.map { .init(RichText($0 ?? "-")) }
    }
    return rows.isEmpty ? nil : Table("What the runs differ in", [.words("")] + runs.map { .words($0.name) }, rows)
  }

  /// The small save in both of two runs on one machine.
  private static func curves(_ input: SectionInput) -> [RunCurves.Shown] {
    let runs = input.model.history
    guard runs.count == 2, runs[0].machine == runs[1].machine else { return [] }
    let pairs = input.model.plan.cells.map(\.cell).filter { $0.workload.id == CostSeries.signature }
      .compactMap { cell -> RunCurves.Pair? in
        guard let base = runs[0].times[cell], let head = runs[1].times[cell] else { return nil }
        return (cell, base, head)
      }
    return RunCurves(base: runs[0].name, head: runs[1].name, pairs: pairs, mark: input.mark).shown
  }
}
