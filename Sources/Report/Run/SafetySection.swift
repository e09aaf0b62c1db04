import StorageContract
import StorageRunFiles

/// The report section on the data that each backend guarantees to keep in a crash, with the results of crash tests.
enum SafetySection {
  static func section(_ model: ReportModel) -> Section? {
    let rows = promised(model)
    let backends = model.plan.backends ?? []
    guard !rows.isEmpty || !backends.isEmpty else { return nil }
    let findings = rows.flatMap(\.findings)
    var section = Section(id: "safety", title: "Safety")
    section.lead = SafetySentences.lead(findings)
    section.tables = [
      Table(
        "What is promised", of: rows,
        [
          .of(\.series, .backend), .of(\.series, .asked), .words("level") { level($0.series) },
          .words("after a power cut") { $0.series.level == nil ? "-" : $0.series.afterPowerCut },
          .words("after a crash") { $0.series.level?.words.afterCrash ?? "-" },
          .number("syncs per save") { row in
            row.series.rows.last { $0.cost?.syncs != nil }.flatMap { Figure.count($0, \.syncs) }
          },
          .words("tested", tested),
        ]),
      SafetyTable.table(findings),
      Table(
        "Known limitations", of: backends,
        [
          .words("backend", \.name), .words("what can be lost", \.safety),
          .words("differences from the others") { backend in
            let exceptions = backend.deviations.map(\.sentence).joined(separator: " ")
            return exceptions.isEmpty ? "nothing" : exceptions
          },
        ]),
    ].filter { !$0.rows.isEmpty }
    section.guide =
      [
        "After a power cut: \u{201C}nothing lost\u{201D}: every save that was acknowledged is there. \u{201C}may lose the last save\u{201D}: the store opens at the save before. \u{201C}may lose the last saves\u{201D}: several saves wait for one sync, and are lost together. \u{201C}may be corrupt\u{201D}, \u{201C}a crash can empty it\u{201D}: earlier saves may be lost too."
      ] + (findings.isEmpty ? [] : SafetyTable.guide)
    return section
  }

  private typealias Row = (series: CostSeries, findings: [SafetyReport.FaultResult])

  private static func promised(_ model: ReportModel) -> [Row] {
    let saves = CostSeries.saves(in: model.series)
    let writers = saves.isEmpty ? model.series.filter { $0.level != nil } : saves
    return writers.grouped { ["\($0.backend)", $0.durability?.rawValue] }.map { _, members in
      (members[0], members[0].level == nil ? [] : findings(model, members[0]))
    }
  }

  private static func level(_ series: CostSeries) -> Table.Field {
    if let level = series.level { return .init(RichText(level.rawValue)) }
    let row = series.rows.first
    return .init(RichText(row.flatMap(Phrases.refusal) ?? "-"), kind: .absent, hover: row?.note)
  }

  /// Returns the crash test results for the backend of `series`, with the run's engine version and settings.
  private static func findings(_ model: ReportModel, _ series: CostSeries) -> [SafetyReport.FaultResult] {
    guard let durability = series.durability, let row = series.rows.first(where: { $0.status == .ok }) else {
      return []
    }
    let findings = model.safety.findings(
      backend: "\(series.backend)", durability: durability,
      engine: model.environment.engines[series.backend.engine] ?? "", settings: row.settings)
    return findings.contains { $0.cases > 0 } ? findings : []
  }

  private static func tested(_ series: CostSeries, _ findings: [SafetyReport.FaultResult]) -> Table.Field {
    if series.level == nil || series.level == .volatile { return .unmeasured }
    guard !findings.isEmpty else { return .init("promised, not tested here", kind: .absent) }
    let cases = Quantity.counted(findings.reduce(0) { $0 + $1.cases }, "case")
    let broken = findings.filter { $0.broken > 0 }
    if broken.isEmpty { return .init("nothing against the promise found in \(cases)") }
    return .init("BROKEN: \(broken.map(\.fault).unique.joined(separator: ", "))", kind: .failed)
  }
}
