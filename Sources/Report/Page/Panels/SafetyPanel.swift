import StorageContract
import StorageRunFiles

/// What each backend promises, and what was found when it was put to the test.
enum SafetyPanel: PanelBuilder {
  static func panel(_ input: PanelInput) -> Panel? {
    let promises = promises(input.model)
    let findings = input.model.safety?.findings ?? []
    let backends = input.model.plan.backends ?? []
    guard !promises.isEmpty || !findings.isEmpty || !backends.isEmpty else { return nil }
    var panel = Panel(id: "safety", title: "Safety")
    let broken = findings.filter { $0.broken > 0 }
    if findings.isEmpty {
      panel.lead = [
        "What each backend promises, by its settings and its counted syncs."
      ]
    } else if broken.isEmpty {
      panel.lead = ["Every promise held in all \(Quantity.grouped(findings.reduce(0) { $0 + $1.tries })) tries."]
    } else {
      panel.lead = broken.map {
        "\(strong: "Broken:") \($0.backend), \($0.durability.rawValue), \($0.fault): \(Quantity.grouped($0.broken)) of \(Quantity.grouped($0.tries)) tries lost more than \($0.level.rawValue) allows."
      }
    }
    if !promises.isEmpty {
      panel.tables.append(
        PanelTable(
          "What is promised",
          [
            .words("backend"), .words("asked"), .words("level"), .words("after a power cut"), .words("after a crash"),
            .number("syncs per save"),
          ], promises))
    }
    if !findings.isEmpty {
      panel.tables.append(
        PanelTable(
          "What was found",
          [
            .words("backend"), .words("asked"), .words("fault"), .number("tries"), .number("nothing lost"),
            .number("an earlier save"), .number("damaged"), .words("promise"),
          ], findings.map(fields)))
    }
    if !backends.isEmpty {
      panel.tables.append(
        PanelTable(
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
    panel.guide = [
      "After a power cut: \u{201C}nothing lost\u{201D}: every save that was acknowledged is there. \u{201C}may lose the last save\u{201D}: the store opens at the save before. \u{201C}may lose the last saves\u{201D}: several saves wait for one sync, and are lost together. \u{201C}may be corrupt\u{201D}, \u{201C}a crash can empty it\u{201D}: what was saved before is at stake.",
      "kill: the process was killed while saving. power: the writes that had not been synced were lost or reordered. enospc, eio, short-write: the disk was full, failed, or took a part. damage: the file was damaged while it was closed.",
    ]
    return panel
  }

  /// A line for each backend and durability, from the row of the signature workload, or the first that saves.
  private static func promises(_ model: ReportModel) -> [[PanelTable.Field]] {
    let saves = CostSeries.saves(in: model.series)
    let writers = saves.isEmpty ? model.series.filter { $0.level != nil } : saves
    struct Key: Hashable {
      var backend: Spec
      var durability: Durability?
    }
    var seen: Set<Key> = []
    return writers.filter { seen.insert(Key(backend: $0.backend, durability: $0.durability)).inserted }.map { series in
      let counted = series.rows.last { $0.cost?.syncs != nil }
      let isAbsent = series.level == nil
      return [
        .init(RichText(series.name)), .init(RichText(series.durability?.rawValue ?? "-")),
        isAbsent
          ? .init(
            RichText(series.rows.first.flatMap(Phrases.refusal) ?? "-"), kind: .absent, hover: series.rows.first?.note)
          : .init(RichText(series.level?.rawValue ?? "-")),
        .init(RichText(isAbsent ? "-" : series.afterPowerCut)),
        .init(RichText(isAbsent ? "-" : afterCrash(series.level))),
        .init(counted.flatMap { Figure.count($0, \.syncs, "syncs", NumberFormat.perOperation) }),
      ]
    }
  }

  private static func afterCrash(_ level: Level?) -> String {
    switch level {
    case .durable, .intact, .crash: "nothing lost"
    case .fragile: "! what was saved before can go"
    case .volatile: "keeps nothing"
    case nil: "-"
    }
  }

  private static func fields(_ result: SafetyReport.FaultResult) -> [PanelTable.Field] {
    let promise: PanelTable.Field =
      result.broken > 0
      ? .init("BROKEN in \(Quantity.grouped(result.broken))", kind: .failed, hover: result.note)
      : .init(RichText("\(result.level.rawValue): held" + (result.note.isEmpty ? "" : "; \(result.note)")))
    return [
      .init(RichText(result.backend)), .init(RichText(result.durability.rawValue)), .init(RichText(result.fault)),
      .init(RichText(Quantity.grouped(result.tries))), .init(RichText(Quantity.grouped(result.nothingLost))),
      .init(RichText(Quantity.grouped(result.earlierSave))), .init(RichText(Quantity.grouped(result.damaged))),
      promise,
    ]
  }
}
