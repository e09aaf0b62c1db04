import StorageContract
import StorageRunFiles

/// The report section on the data that each backend guarantees to keep in a crash, with the results of crash tests.
enum SafetySection {
  static func section(_ input: SectionInput) -> Section? {
    let rows = promised(input.model)
    let backends = input.model.plan.backends ?? []
    guard !rows.isEmpty || !backends.isEmpty else { return nil }
    let findings = rows.flatMap(\.findings)
    var section = Section(id: "safety", title: "Safety")
    section.lead = SafetySentences.lead(findings)
    if !rows.isEmpty {
      section.tables.append(
        Table(
          "What is promised",
          [
            .words("backend"), .words("asked"), .words("level"), .words("after a power cut"), .words("after a crash"),
            .number("syncs per save"), .words("tested"),
          ], rows.map(\.fields)))
    }
    if !findings.isEmpty { section.tables.append(SafetyTable.table(findings)) }
    if !backends.isEmpty {
      section.tables.append(
        Table(
          "Known limitations",
          [.words("backend"), .words("what can be lost"), .words("differences from the others")],
          backends.map { backend in
            let exceptions = backend.deviations.map(\.sentence).joined(separator: " ")
            return [
              .init(RichText(backend.name)), .init(RichText(backend.safety)),
              .init(RichText(exceptions.isEmpty ? "nothing" : exceptions)),
            ]
          }))
    }
    section.guide =
      [
        "After a power cut: \u{201C}nothing lost\u{201D}: every save that was acknowledged is there. \u{201C}may lose the last save\u{201D}: the store opens at the save before. \u{201C}may lose the last saves\u{201D}: several saves wait for one sync, and are lost together. \u{201C}may be corrupt\u{201D}, \u{201C}a crash can empty it\u{201D}: earlier saves may be lost too."
      ] + (findings.isEmpty ? [] : SafetyTable.guide)
    return section
  }

  private struct Row {
    var fields: [Table.Field]
    var findings: [SafetyReport.FaultResult]
  }

  private static func promised(_ model: ReportModel) -> [Row] {
    let saves = CostSeries.saves(in: model.series)
    let writers = saves.isEmpty ? model.series.filter { $0.level != nil } : saves
    return writers.grouped { ["\($0.backend)", $0.durability?.rawValue] }.map { _, members in
      let series = members[0]
      let counted = series.rows.last { $0.cost?.syncs != nil }
      let isAbsent = series.level == nil
      let findings = isAbsent ? [] : findings(model, series)
      return Row(
        fields: [
          .init(RichText(series.name)), .init(RichText(series.durability?.rawValue ?? "-")),
          isAbsent
            ? .init(
              RichText(series.rows.first.flatMap(Phrases.refusal) ?? "-"), kind: .absent, hover: series.rows.first?.note
            )
            : .init(RichText(series.level?.rawValue ?? "-")),
          .init(RichText(isAbsent ? "-" : series.afterPowerCut)),
          .init(RichText(isAbsent ? "-" : afterCrash(series.level))),
          .init(counted.flatMap { Figure.count($0, \.syncs, "syncs", NumberFormat.perOperation) }),
          isAbsent || series.level == .volatile ? .unmeasured : tested(findings),
        ], findings: findings)
    }
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

  private static func tested(_ findings: [SafetyReport.FaultResult]) -> Table.Field {
    guard !findings.isEmpty else { return .init("promised, not tested here", kind: .absent) }
    let cases = Quantity.counted(findings.reduce(0) { $0 + $1.cases }, "case")
    let broken = findings.filter { $0.broken > 0 }
    if broken.isEmpty { return .init("nothing against the promise found in \(cases)") }
    var faults: [String] = []
    for fault in broken.map(\.fault) where !faults.contains(fault) { faults.append(fault) }
    return .init("BROKEN: \(faults.joined(separator: ", "))", kind: .failed)
  }

  private static func afterCrash(_ level: Level?) -> String {
    switch level {
    case .durable, .intact, .crash: "nothing lost"
    case .fragile: "! what was saved before can go"
    case .volatile: PowerCut.unwritten
    case nil: "-"
    }
  }
}
