import Contract
import Foundation

/// The sections of `report.md`, in their order.
struct MarkdownPage {
  let model: ReportModel

  /// The page's first line.
  var title: String { "storage-bench: \(model.plan.label ?? model.directory.name)" }

  /// Everything below it. A section without content is left out, but never a table's field.
  var blocks: [MarkdownBlock] {
    guard !model.rows.isEmpty else {
      return [
        MarkdownBlock(heading: "Verdict", words: ["The plan has no cells: nothing was asked for."]), origin,
      ]
    }
    let questions = model.questions
    return [verdict(questions)] + [refusals(.failed)].compactMap { $0 } + [origin]
      + MarkdownMatrix.blocks(questions) + [saveCost, growth, memory, launch].compactMap { $0 }
      + [refusals(.notAvailable), refusals(.skipped)].compactMap { $0 } + [guide]
  }

  private func verdict(_ questions: [Question]) -> MarkdownBlock {
    var block = MarkdownBlock(heading: "Verdict", words: [Verdict.count(model.rows)])
    if model.trials == 0 {
      block.words.append(
        "No trial has been run yet, so there are no figures. An interrupted run goes on with `storage-bench run --resume`."
      )
    } else if model.plan.once {
      block.words.append("Every cell was run once and verified; nothing was timed, so there are no figures.")
    } else if model.plan.rounds == 0 {
      block.words.append(
        "This run counts bytes and calls; nothing was timed, so no backend is called faster.")
    } else if let words = Verdict.undecided(questions, rounds: model.plan.rounds) {
      block.words.append(words)
    }
    block.rows = questions.compactMap { question in
      Verdict.sentence(question).map { ["**\(question.title)**: \($0)"] }
    }
    for series in SaveCost.all(in: model.rows) where series.durability == .shipped || series.durability == nil {
      guard let words = series.growthInWords else { continue }
      block.rows.append(["Bytes per save of \(name(series)): \(words)."])
    }
    return block
  }

  /// Cells without figures and why, each in its own words.
  private func refusals(_ status: Status) -> MarkdownBlock? {
    let rows = model.rows(status)
    guard !rows.isEmpty else { return nil }
    let headings: [Status: String] = [
      .failed: "Failed cells", .notAvailable: "Not available here", .skipped: "Skipped",
    ]
    return MarkdownBlock(
      heading: headings[status] ?? status.rawValue, columns: ["cell", "why"],
      rows: rows.map { [$0.cell.name, $0.note.isEmpty ? "no reason given" : $0.note] },
      summary: status == .failed ? nil : "\(rows.count) \(rows.count == 1 ? "cell" : "cells")")
  }

  private var origin: MarkdownBlock {
    let plan = model.plan
    let environment = model.environment
    var rows: [[String]] = [["machine", environment.machine]]
    for section in [environment.system, environment.storage, environment.build, environment.engines] {
      rows += section.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
    }
    if let cost = environment.clockCost { rows.append(["a reading of the clock costs", Figures.time(cost)]) }
    if let sentence = model.syncSentence { rows.append(["disk", sentence]) }
    rows.append(["seed", String(plan.seed)])
    rows.append(["rounds", String(plan.rounds)])
    if plan.rounds > 0 { rows.append(["timed part of a trial", Figures.time(Double(plan.trialTime))]) }
    if let rate = plan.rate { rows.append(["open loop", "\(Figures.plain(rate)) operations/s"]) }
    rows.append([
      "payload",
      plan.dataset.map { "data set \(URL(fileURLWithPath: $0).lastPathComponent)" } ?? plan.payload,
    ])
    if let profile = plan.profile { rows.append(["profile", profile]) }
    if let shard = plan.shard { rows.append(["shard", shard]) }
    if !plan.command.isEmpty { rows.append(["command", plan.command.joined(separator: " ")]) }
    if let noise = TerminalReport.noise(model) {
      rows.append(["noise (median half-width of intervals)", noise])
    }
    return MarkdownBlock(
      heading: "Where it ran", words: model.warnings.map { "**Warning:** \($0)" },
      columns: ["what", "value"],
      rows: rows,
      summary: [environment.system["cpu"], environment.storage["filesystem"], model.syncSentence]
        .compactMap { $0 }.joined(separator: ", ").ifEmpty("machine and settings"))
  }

  private var saveCost: MarkdownBlock? {
    let series = SaveCost.all(in: model.rows)
    let rows = series.flatMap { series in
      series.rows.filter { $0.cost != nil }.map { row in
        [
          name(series), row.cell.durability?.rawValue ?? "-", row.level?.rawValue ?? "-",
          Quantity.grouped(row.cell.records), Self.bytes(row.perOperation(\.bytesWrittenSettled)),
          row.writeAmplification.map(Figures.ratio) ?? Self.unmeasured,
          Self.count(row.perOperation(\.writeCalls)), Self.count(row.perOperation(\.syncs)),
        ]
      }
    }
    guard !rows.isEmpty else { return nil }
    return MarkdownBlock(
      heading: "The cost of changing one record",
      words: [
        "Bytes count everything up to and with checkpoint and close; amplification is bytes written by bytes changed."
      ],
      columns: [
        "backend", "asked", "level", "records", "bytes per save", "write amplification",
        "write calls per save",
        "syncs per save",
      ],
      rows: rows, summary: "bytes, calls and syncs of a save by store size",
      footer: [
        series.compactMap { series in
          series.growthInWords.map { "\(name(series)) (\(series.durability?.rawValue ?? "-")) \($0)" }
        }.joined(separator: "; ")
      ].filter { !$0.isEmpty }.map { "On log-log axes: \($0)." })
  }

  private var growth: MarkdownBlock? {
    let rows = SaveCost.all(in: model.rows).filter { series in series.rows.contains { $0.typicalTime != nil }
    }
    .map { series -> [String] in
      let limits = [SaveCost.frame, SaveCost.frame / 2].map { limit -> String in
        let limit = series.limit(limit)
        switch limit.at {
        case .never: return "at any size measured (to \(Quantity.grouped(limit.largest)))"
        default:
          let interval = limit.interval.map { " (\(Figures.about($0.low)) to \(Figures.about($0.high)))" }
          return limit.inWords + (interval ?? "")
        }
      }
      return [name(series), series.durability?.rawValue ?? "-", series.level?.rawValue ?? "-"] + limits
    }
    guard !rows.isEmpty else { return nil }
    return MarkdownBlock(
      heading: "Frame limit",
      words: [
        "Up to how many records the median save stays within one frame; between the sizes measured by interpolation."
      ],
      columns: ["backend", "asked", "level", "under 16.7 ms (60 Hz)", "under 8.3 ms (120 Hz)"], rows: rows)
  }

  private var memory: MarkdownBlock? {
    let measured = model.rows.filter { $0.cost?.peakAnonBytes != nil || $0.cost?.peakFileBytes != nil }
    let loading = measured.filter { ["load-all", "iterate"].contains($0.cell.workload.id) }
    let rows = (loading.isEmpty ? measured : loading).map { row -> [String] in
      let peak = Double((row.cost?.peakAnonBytes ?? 0) + (row.cost?.peakFileBytes ?? 0))
      let stored = row.cost?.storedBytes.map(Double.init) ?? 0
      return [
        Verdict.name(row), "\(row.cell.workload)", Quantity.grouped(row.cell.records),
        Self.bytes(row.cost?.peakAnonBytes.map(Double.init)),
        Self.bytes(row.cost?.peakFileBytes.map(Double.init)),
        stored > 0 ? Figures.ratio(peak / stored) : Self.unmeasured,
      ]
    }
    guard !rows.isEmpty else { return nil }
    return MarkdownBlock(
      heading: "Memory",
      words: [
        "The peak above the start. File-backed memory is the store's own file, which the system may take back."
      ],
      columns: ["backend", "workload", "records", "anonymous", "file-backed", "by stored bytes"], rows: rows,
      summary: "peak memory")
  }

  private var launch: MarkdownBlock? {
    let rows = model.rows.filter { $0.cell.workload.id.hasPrefix("launch-") && $0.status == .ok }.map { row in
      [
        Verdict.name(row), "\(row.cell.workload)", Quantity.grouped(row.cell.records),
        row.typicalTime.map(Figures.time) ?? "not timed", Self.interval(row),
        Self.bytes(row.cost?.bytesRead.map(Double.init)),
      ]
    }
    guard !rows.isEmpty else { return nil }
    return MarkdownBlock(
      heading: "Launch", words: ["A fresh process, from its start to the records shown."],
      columns: ["backend", "workload", "records", "p50", "interval", "bytes read"], rows: rows,
      summary: "time to the first records")
  }

  private var guide: MarkdownBlock {
    MarkdownBlock(
      heading: "How to read this",
      rows: [
        "p50: half of the operations took no longer. The factor beside it is the ratio to the fastest of the line.",
        "`~`: ties with the fastest. The rounds cannot tell the two apart, or the difference is under 5 %.",
        "`^`: promises more than was asked, and competes all the same.",
        "Levels: `durable` loses no acknowledged save; `intact` opens at some earlier save after a power cut; `crash` survives the death of the process; `fragile` may lose what was saved before; `volatile` keeps nothing. Rows are ranked within one level only.",
        "floor: what no store can beat; shown, never ranked.",
        "emulated: done by the suite as an app would do it, since the engine cannot. lookalike (`+`): \(Verdict.lookalike).",
        "x1: one operation, or opening the store before it, took over 250 ms, and one trial was made; it has no interval and never wins. batched: operations too short for the clock were timed together.",
        "FAILED: it crashed, ran over its limit or returned something wrong; no figure is shown. n/a: the backend cannot. skipped: not run, the reason is given. `-`: not part of the plan, or not measured.",
        "Intervals are the binomial interval of the median over processes, from six on. Factors between backends are paired round by round.",
        "One operation starts when the one before has ended: these are service times, not times under a given load.",
      ].map { [$0] })
  }

  /// What stands in a field that was not measured.
  static let unmeasured = "-"

  static func interval(_ row: SummaryRow) -> String {
    row.p50Interval.map { "\(Figures.time($0.low)) to \(Figures.time($0.high))" } ?? unmeasured
  }

  private static func bytes(_ bytes: Double?) -> String { bytes.map(Figures.bytes) ?? unmeasured }

  private static func count(_ count: Double?) -> String { count.map(Figures.perOperation) ?? unmeasured }

  private func name(_ series: SaveCost) -> String {
    Verdict.name(series.backend, isLookalike: series.isLookalike)
  }
}

extension String {
  /// The text, or another where it is empty.
  func ifEmpty(_ other: String) -> String { isEmpty ? other : self }
}
