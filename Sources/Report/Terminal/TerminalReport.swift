import Foundation
import StorageContract

/// What is printed at the end of a run: the tables, the words and where the files are. No line is wider than
/// ``width``, and there is no colour, so that it reads the same in a log.
public enum TerminalReport {
  /// Columns of the narrowest terminal that the tables are made for.
  public static let width = 100

  /// The whole text, with a line's end after each line.
  ///
  /// - Parameters:
  ///   - model: The run.
  ///   - paths: The files written, by what they are: `("Report", "results/latest/report.md")`.
  public static func text(_ model: ReportModel, paths: [(name: String, path: String)] = []) -> String {
    var sections: [[String]] = []
    let saves = CostSeries.saves(in: model.series)
    // As shipped, or where that was not asked for, the first level that was.
    let asked = saves.contains { $0.durability == .shipped } ? .shipped : saves.first?.durability
    let shipped = saves.filter { $0.durability == asked }
    if let pattern = saves.first,
      shipped.contains(where: { $0.rows.contains { $0.trialsSeen } })
    {
      sections.append(SignatureTable(series: shipped).lines(width: width))
      sections += DurabilityLines.sections(model, pattern, except: asked, width: width)
      let others = model.groups.filter { !pattern.covers($0) }
      if !others.isEmpty {
        sections.append(OtherWorkloads(groups: others, planned: model.backends).lines(width: width))
      }
    } else if model.rows.isEmpty {
      sections.append(["The plan has no cells: nothing was asked for."])
    } else if model.rows.contains(where: { !YCSBTerms.isMix($0) }) {
      sections.append(generic(model))
    }
    sections.append(MixedOperations.lines(model, width: width))
    sections.append(words(model, shipped))
    sections.append(pairs(model.rows))
    let refused = refusals(model)
    if !refused.isEmpty { sections.append(refused) }
    sections.append(origin(model, shipped) + files(paths))
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  /// A line per cell, for runs that do not ask what a small save costs.
  private static func generic(_ model: ReportModel) -> [String] {
    let rows = model.rows.map { row -> [String] in
      let refusal = Phrases.refusal(row)
      let shown = refusal == nil
      return [
        row.cell.name, shown ? row.typicalTime.map(NumberFormat.time) ?? "-" : "-",
        row.p50Interval?.relativeHalfWidth.map(NumberFormat.plusMinus) ?? "-",
        shown ? row.operationsPerSecond.map(NumberFormat.rate) ?? "-" : "-",
        row.perOperation(\.bytesWrittenSettled).map(NumberFormat.bytes) ?? "-",
        row.perOperation(\.syncs).map(NumberFormat.perOperation) ?? "-",
        refusal ?? (row.fidelity == .emulated ? "ok, emulated" : "ok"),
      ]
    }
    let table = TerminalTable(
      columns: [
        ("cell", .left), ("p50", .right), ("interval", .right), ("ops/s", .right), ("bytes/op", .right),
        ("syncs/op", .right), ("status", .left),
      ], rows: rows)
    // Long names get a line of their own, rather than the figures being torn apart.
    return table.linesWithNames(width: width)
  }

  private static func words(_ model: ReportModel, _ shipped: [CostSeries]) -> [String] {
    var sentences: [String] = []
    let counted = shipped.filter { !$0.isFloor }.compactMap { series -> (CostSeries, SummaryRow, Double)? in
      guard let row = series.largestCounted, let bytes = row.perOperation(\.bytesWrittenSettled) else {
        return nil
      }
      return (series, row, bytes)
    }
    if let most = counted.max(by: { $0.2 < $1.2 }), let least = counted.min(by: { $0.2 < $1.2 }),
      counted.count > 1
    {
      sentences.append(
        "Changing one record of \(Quantity.grouped(most.1.cell.records)) writes \(NumberFormat.bytes(most.2)) in "
          + "\(Phrases.name(most.1)), \(NumberFormat.bytes(least.2)) in \(Phrases.name(least.1)).")
      let growth = [most.0, least.0].compactMap { series in
        GrowthPhrases.tenfold(series.bytesWritten, of: "bytes").map { "\(series.name) \($0)" }
      }
      if !growth.isEmpty { sentences.append("\(GrowthPhrases.tenTimes) \(growth.joined(separator: ", ")).") }
    }
    let crossovers = CrossoverSentences.verdicts(model, [.time])
    // The page has them all; a screen holds what an app's developer asks first.
    sentences += crossovers.prefix(3).map(\.text)
    let groups = model.groups
    if model.trials == 0 {
      sentences.append("No trial has been run yet, so there are no figures.")
    } else if model.plan.once || model.plan.rounds == 0 {
      sentences.append("Nothing was timed, so no backend is called faster.")
    } else if let undecided = Phrases.undecided(groups, rounds: model.plan.rounds) {
      sentences.append(undecided)
    }
    var lines = TerminalTable.filled(
      (["In words:"] + sentences).joined(separator: " ").split(separator: " ").map(String.init), width: width)
    if sentences.isEmpty { lines = [] }
    // A screen holds a few verdicts; the page has them all.
    let verdicts = VerdictSentences.winners(groups)
    for verdict in verdicts.prefix(12) {
      lines += TerminalTable.filled(verdict.text.split(separator: " ").map(String.init), width: width)
    }
    if verdicts.count > 12 { lines.append("... and \(verdicts.count - 12) more in the report.") }
    return lines
  }

  /// The pairs of rows, a line each; none where the run has no pair that was timed.
  static func pairs(_ rows: [SummaryRow]) -> [String] {
    // What a screen holds; the page has them all.
    let most = 12
    let pairings = RowPairing.all(in: rows).filter { $0.ratio != nil }
    guard !pairings.isEmpty else { return [] }
    var lines = ["Two ways to do one thing: how much longer the first takes"]
    for pairing in pairings.prefix(most) {
      let text = "\(pairing.ratio ?? "-") \(pairing.pair.title), \(pairing.place)"
      lines += TerminalTable.filled(text.split(separator: " ").map(String.init), width: width)
    }
    if pairings.count > most { lines.append("... and \(pairings.count - most) more in the report.") }
    return lines
  }

  private static func refusals(_ model: ReportModel) -> [String] {
    var lines = [Phrases.count(model.rows)]
    if model.rows.allSatisfy({ $0.status == .ok }) { return [] }
    for row in model.rows(.failed) {
      lines += TerminalTable.filled(
        "FAILED \(row.cell.name): \(row.note)".split(separator: " ").map(String.init), width: width)
    }
    return lines
  }

  private static func origin(_ model: ReportModel, _ shipped: [CostSeries]) -> [String] {
    let environment = model.environment
    var lines: [String] = []
    if model.rows.contains(where: { $0.fidelity == .lookalike }) { lines.append("+ \(Phrases.lookalike).") }
    let machine = [
      environment.system["cores"].map { "\($0) cores" }, environment.system["cpu"],
      environment.storage["filesystem"],
      model.syncSentence,
    ].compactMap { $0 }
    if !machine.isEmpty {
      lines += TerminalTable.filled(
        "Machine: \(machine.joined(separator: ", ")).".split(separator: " ").map(String.init), width: width)
    }
    if let sentence = Phrases.openLoop(model) {
      lines += TerminalTable.filled(sentence.split(separator: " ").map(String.init), width: width)
    }
    for warning in model.warnings {
      lines += TerminalTable.filled(
        "Warning: \(warning)".split(separator: " ").map(String.init), width: width)
    }
    if let noise = Phrases.noise(model) { lines.append("Noise: \(noise)") }
    return lines
  }

  /// The files on one line where they fit, else each on its own; paths are never broken.
  private static func files(_ paths: [(name: String, path: String)]) -> [String] {
    let parts = paths.map { "\($0.name): \($0.path)" }
    let line = parts.joined(separator: "    ")
    return line.count <= width ? [line].filter { !$0.isEmpty } : parts
  }
}

extension SummaryRow {
  /// Whether anything is known of the row beyond that it was planned.
  var trialsSeen: Bool { processes > 0 || cost != nil || status == .failed }
}
