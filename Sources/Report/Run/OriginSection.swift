import Foundation
import StorageContract

/// The report section on the origin of the results: machine, build, settings, and the command to repeat the run.
enum OriginSection {
  static func section(_ model: ReportModel) -> Section? {
    var section = Section(id: "origin", title: "Where it ran")
    section.lead = model.warnings.map { "\(strong: "Warning:") \($0)" }
    let machine = Self.machine(model)
    if !machine.isEmpty { section.lead.append("Machine: \(machine.joined(separator: ", ")).") }
    if let sentence = Phrases.openLoop(model) { section.lead.append(RichText(sentence)) }
    if let noise = Phrases.noise(model) { section.lead.append("Noise (half the width of an interval): \(noise).") }
    if let coverage = Phrases.coverage(model) { section.lead.append(RichText(coverage)) }
    let sources: [RichText?] = [
      model.plan.command.isEmpty ? nil : "Made by \(code: model.plan.commandLine).",
      model.plan.datasetInWords.map { "Records: \($0)." },
    ]
    section.lists = sources.compactMap { $0 }.map { .init(items: [$0], media: .page) }
    // The compile options of engines are long and rarely read, so they have a separate table.
    func isCompiled(_ row: (name: String, value: String)) -> Bool { row.name.hasSuffix(" compiled with") }
    let all = rows(model)
    section.tables = [
      table("Machine, build and settings", all.filter { !isCompiled($0) }),
      table("What the engines were compiled with", all.filter(isCompiled)),
    ].filter { !$0.rows.isEmpty }
    section.guide = [
      "Times belong to this machine, this file system and this build: compare none with another machine's. Bytes, calls and syncs belong to the engine versions, and carry over.",
      "A sync that costs under 20 µs has not reached a disk; then rows that sync look better than they are.",
    ]
    if model.environment.storage["journal"] == "none" {
      section.guide.append(
        "On ext4 without a journal, Linux creates a file more slowly if many were deleted in the five minutes before. Saves that create a file, also a rollback journal, can then take several times as long."
      )
    }
    return section
  }

  static func machine(_ model: ReportModel) -> [String] {
    let environment = model.environment
    return [
      environment.system["cores"].map { "\($0) cores" }, environment.system["cpu"],
      environment.fileSystem, model.syncSentence,
    ].compactMap { $0 }
  }

  /// Returns the facts at the top of a run's HTML page, such as date, machine and warnings.
  static func chips(_ model: ReportModel) -> [Document.Chip] {
    let ids = Set(model.rows.map(\.cell.backend.engine))
    let engines = model.environment.engines.filter { ids.contains($0.key) }.values
    let versions = Set(engines.filter { $0.contains { $0.isNumber } }).sorted()
    let day = model.began.map { Date(timeIntervalSince1970: $0).formatted(.iso8601.year().month().day()) }
    let facts =
      ["run \(model.title)"] + [day].compactMap { $0 } + machine(model)
      + [Phrases.noise(model).map { "typical error \($0)" }].compactMap { $0 } + versions
    let chips = facts.map { Document.Chip(text: $0) }
    guard let first = model.warnings.first else { return chips }
    let warning = model.warnings.count == 1 ? "Warning: \(first)" : Quantity.counted(model.warnings.count, "warning")
    return chips + [Document.Chip(text: warning, section: "origin")]
  }

  private static func table(_ title: String, _ rows: [(name: String, value: String)]) -> Table {
    Table(title, of: rows, [.words("what", \.name), .words("value", \.value)], isFolded: true, media: .page)
  }

  private static func rows(_ model: ReportModel) -> [(name: String, value: String)] {
    let plan = model.plan
    let environment = model.environment
    let parts = [environment.system, environment.storage, environment.build, environment.engines]
    let recorded = parts.flatMap { part in part.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) } }
    let facts: [(name: String, value: String?)] = [
      ("a reading of the clock costs", environment.clockCost.map { NumberFormat.time($0) }),
      ("disk", model.syncSentence),
      ("seed", model.runs.isEmpty ? String(plan.seed) : model.runs.map { String($0.seed) }.joined(separator: ", ")),
      ("rounds", String(plan.rounds)),
      ("timed part of a trial", plan.rounds > 0 ? NumberFormat.time(Double(plan.trialTime)) : nil),
      ("open loop", plan.rate.map { "\(NumberFormat.plain($0)) operations/s" }),
      ("payload", plan.dataset.map { "data set \(URL(fileURLWithPath: $0).lastPathComponent)" } ?? plan.payload),
      ("profile", plan.profile), ("shard", plan.shard),
      ("noise (median half-width of intervals)", Phrases.noise(model)),
    ]
    return [("machine", environment.machine)] + recorded + facts.compactMap { name, value in value.map { (name, $0) } }
  }
}
