import Foundation
import StorageContract

/// Where and with what the run was made, and how to make it again.
enum OriginPanel: PanelBuilder {
  static func panel(_ input: PanelInput) -> Panel? {
    let model = input.model
    let environment = model.environment
    var panel = Panel(id: "origin", title: "Where it ran")
    panel.lead = model.warnings.map { "\(strong: "Warning:") \($0)" }
    let place = [
      environment.system["cpu"], environment.system["cores"].map { "\($0) cores" },
      environment.storage["filesystem"], model.syncSentence,
    ].compactMap { $0 }
    if !place.isEmpty { panel.lead.append(RichText(place.joined(separator: ", ") + ".")) }
    if !model.plan.command.isEmpty {
      panel.lead.append("Made by \(code: model.plan.command.joined(separator: " ")).")
    }
    let all = rows(model)
    // What an engine was compiled with is long, and looked up rather than read.
    let compiled = all.filter { $0.name.hasSuffix(" compiled with") }
    let short = all.filter { !$0.name.hasSuffix(" compiled with") }
    panel.tables = [table("Machine, build and settings", short)]
    if !compiled.isEmpty { panel.tables.append(table("What the engines were compiled with", compiled)) }
    panel.guide = [
      "Times belong to this machine, this file system and this build: compare none with another machine's. Bytes, calls and syncs belong to the engine versions, and carry over.",
      "A sync that costs under 20 us has not reached a disk; then rows that sync look better than they are.",
    ]
    return panel
  }

  private static func table(_ title: String, _ rows: [(name: String, value: String)]) -> PanelTable {
    PanelTable(
      title, [.words("what"), .words("value")],
      rows.map { [PanelTable.Field(RichText($0.name)), PanelTable.Field(text: $0.value)] }, isFolded: true)
  }

  private static func rows(_ model: ReportModel) -> [(name: String, value: String)] {
    let plan = model.plan
    let environment = model.environment
    var rows = [(name: "machine", value: environment.machine)]
    for section in [environment.system, environment.storage, environment.build, environment.engines] {
      rows += section.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }
    if let cost = environment.clockCost { rows.append(("a reading of the clock costs", NumberFormat.time(cost))) }
    if let sentence = model.syncSentence { rows.append(("disk", sentence)) }
    rows.append(("seed", String(plan.seed)))
    rows.append(("rounds", String(plan.rounds)))
    if plan.rounds > 0 { rows.append(("timed part of a trial", NumberFormat.time(Double(plan.trialTime)))) }
    if let rate = plan.rate { rows.append(("open loop", "\(NumberFormat.plain(rate)) operations/s")) }
    rows.append(
      (
        "payload",
        plan.dataset.map { "data set \(URL(fileURLWithPath: $0).lastPathComponent)" } ?? plan.payload
      ))
    if let profile = plan.profile { rows.append(("profile", profile)) }
    if let shard = plan.shard { rows.append(("shard", shard)) }
    if let noise = Phrases.noise(model) { rows.append(("noise (median half-width of intervals)", noise)) }
    return rows
  }
}
