import StorageContract

/// The report section on two processes that save into one store: lost saves, outdated reads, errors and waits.
enum SharingSection {
  static func section(_ input: SectionInput) -> Section? {
    let rows = SharingRow.all(input.model)
    guard !rows.isEmpty else { return nil }
    let killed = rows.filter { $0.kills > 0 }
    let racing = rows.filter { $0.kills == 0 }
    var section = Section(id: "sharing", title: "Two processes")
    section.lead = [
      "An app and its extension save into one store. Each save reads a counter, adds one, and saves it together with a new record. The counter\u{2019}s shortfall at the end is the number of saves that were lost although they were acknowledged."
    ]
    section.tables = [races(racing), kills(killed)].filter { !$0.rows.isEmpty }
    section.guide = [
      "Lost: acknowledged saves that the counter lacks. Stale: reads that show the store as it was before a save that the other process had been told of. Errors are those that a user would see; a save that failed is not made again. The waits are of one process, the last column is the other\u{2019}s longest.",
      "Where the engine or a lock file keeps processes apart, a lost save fails the cell. Counts of two processes differ in each run.",
    ]
    return section
  }

  private static func races(_ rows: [SharingRow]) -> Table {
    Table(
      "Saves of two processes at once", of: rows,
      [
        .of(\.row, .cell), .number("saves of both") { Quantity.grouped($0.saves) },
        .number("lost") { Quantity.grouped($0.lost) }, .number("stale") { Quantity.grouped($0.stale) },
        .number("errors", \.errorWords), .of(\.row, .p50), .of(\.row, .p99), .of(\.row, .max),
        .number("max of the other") { $0.row.finding(SharingFinding.otherMost).map(NumberFormat.time) },
      ])
  }

  private static func kills(_ rows: [SharingRow]) -> Table {
    Table(
      "The first save after the other process was killed in the middle of one", of: rows,
      [
        .of(\.row, .cell), .number("kills") { Quantity.grouped($0.kills) },
        .number("no save possible afterwards") { Quantity.grouped($0.stuck) },
        .number("lost") { Quantity.grouped($0.lost) }, .of(\.row, .p50), .of(\.row, .max),
      ])
  }
}

struct SharingRow {
  let row: SummaryRow

  static func all(_ model: ReportModel) -> [SharingRow] {
    model.rows.filter { $0.status == .ok && $0.finding(SharingFinding.lostUpdates) != nil }.map(SharingRow.init)
  }

  private func count(_ name: String) -> Int { Int(row.finding(name) ?? 0) }

  /// The number of acknowledged saves of both processes together.
  var saves: Int { count(SharingFinding.saves) + count(SharingFinding.otherSaves) }
  var lost: Int { count(SharingFinding.lostUpdates) }
  var stale: Int { count(SharingFinding.staleReads) }
  var kills: Int { count(SharingFinding.kills) }
  var stuck: Int { count(SharingFinding.stuck) }

  var errorWords: String {
    let codes = row.findings.filter { $0.name.hasPrefix("\(SharingFinding.errors)_") && $0.value > 0 }
      .map { "\(Quantity.grouped(Int($0.value))) \($0.name.dropFirst(SharingFinding.errors.count + 1))" }
    return Quantity.grouped(count(SharingFinding.errors)) + (codes.isEmpty ? "" : " (\(codes.joined(separator: ", ")))")
  }

  func has(_ option: String) -> Bool { "\(row.cell.workload.options)".split(separator: ":").contains { $0 == option } }
}

/// A generator of the report sentence on saves that are lost when two processes share a store.
enum SharingRule {
  static func sentences(_ model: ReportModel) -> [RichText] {
    let rows = SharingRow.all(model).filter {
      $0.row.cell.durability == .shipped && $0.kills == 0 && !$0.has("way=naive") && $0.saves > 0
    }
    let plain = first(rows.filter { !$0.has("lock=yes") })
    let locked = first(rows.filter { $0.has("lock=yes") })
    let losing = plain.filter { $0.lost > 0 }
    guard let worst = losing.first else { return [] }
    let isOne = losing.count == 1
    func losses(_ row: SharingRow) -> String { "\(Quantity.grouped(row.lost)) of \(Quantity.grouped(row.saves))" }
    let subject: RichText =
      isOne
      ? "\(strong: "Two processes save into the same \(Phrases.name(worst.row)): \(losses(worst)) saves were silently lost")"
      : "\(strong: "Two processes save into the same store, and saves are silently lost"): \(Phrases.list(losing.map { "\(losses($0)) in \(Phrases.name($0.row))" }))"
    let saved = losing.filter { row in locked.contains { $0.row.cell.backend == row.row.cell.backend && $0.lost == 0 } }
    var parts = [subject]
    if !saved.isEmpty {
      let whose = saved.count == losing.count ? "" : " in \(Phrases.list(saved.map { Phrases.name($0.row) }))"
      parts.append("with a lock file none\(whose)")
    }
    let safe = plain.filter { $0.lost == 0 }
    if !safe.isEmpty { parts.append("without one none in \(Phrases.list(safe.map { Phrases.name($0.row) }))") }
    return ["\(RichText.joined(parts, "; "))."]
  }

  private static func first(_ rows: [SharingRow]) -> [SharingRow] {
    rows.grouped { $0.row.cell.backend }.compactMap { $0.members.max { $0.saves < $1.saves } }
  }
}
