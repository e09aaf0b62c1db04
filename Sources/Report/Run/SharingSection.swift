import StorageContract

/// The report section on two processes that save into one store: lost saves, outdated reads, errors and waits.
enum SharingSection {
  static func section(_ model: ReportModel) -> Section? {
    let rows = model.rows.filter(\.isShared)
    guard !rows.isEmpty else { return nil }
    var section = Section(id: "sharing", title: "Two processes")
    section.lead = [
      "An app and its extension save into one store. Each save reads a counter, adds one, and saves it together with a new record. The counter\u{2019}s shortfall at the end is the number of saves that were lost although they were acknowledged."
    ]
    section.tables = [
      Table(
        "Saves of two processes at once", of: rows.filter { $0.kills == 0 },
        [
          .cell, .number("saves of both") { Quantity.grouped($0.saves) },
          .number("lost") { Quantity.grouped($0.lost) }, .number("stale") { Quantity.grouped($0.stale) },
          .number("errors", \.errorWords), .p50, .p99, .max,
          .number("max of the other") { $0.finding(SharingFinding.otherMost).map(NumberFormat.time) },
        ]),
      Table(
        "The first save after the other process was killed in the middle of one", of: rows.filter { $0.kills > 0 },
        [
          .cell, .number("kills") { Quantity.grouped($0.kills) },
          .number("no save possible afterwards") { Quantity.grouped($0.stuck) },
          .number("lost") { Quantity.grouped($0.lost) }, .p50, .max,
        ]),
    ].filter { !$0.rows.isEmpty }
    section.guide = [
      "Lost: acknowledged saves that the counter lacks. Stale: reads that show the store as it was before a save that the other process had been told of. Errors are those that a user would see; a save that failed is not made again. The waits are of one process, the last column is the other\u{2019}s longest.",
      "Where the engine or a lock file keeps processes apart, a lost save fails the cell. Counts of two processes differ in each run.",
    ]
    return section
  }

  /// Returns the sentence on saves that are lost when two processes share a store, if there are any.
  static func sentences(_ model: ReportModel) -> [RichText] {
    let rows = model.rows.filter {
      $0.isShared && $0.cell.durability == .shipped && $0.kills == 0 && !$0.has("way=naive") && $0.saves > 0
    }
    func most(_ rows: [SummaryRow]) -> [SummaryRow] {
      rows.grouped { $0.cell.backend }.compactMap { $0.members.max { $0.saves < $1.saves } }
    }
    let (plain, locked) = (most(rows.filter { !$0.has("lock=yes") }), most(rows.filter { $0.has("lock=yes") }))
    let losing = plain.filter { $0.lost > 0 }
    guard let worst = losing.first else { return [] }
    func losses(_ row: SummaryRow) -> String { "\(Quantity.grouped(row.lost)) of \(Quantity.grouped(row.saves))" }
    func names(_ rows: [SummaryRow]) -> String { Phrases.list(rows.map(Phrases.name)) }
    let subject: RichText =
      losing.count == 1
      ? "\(strong: "Two processes save into the same \(Phrases.name(worst)): \(losses(worst)) saves were silently lost")"
      : "\(strong: "Two processes save into the same store, and saves are silently lost"): \(Phrases.list(losing.map { "\(losses($0)) in \(Phrases.name($0))" }))"
    let saved = losing.filter { row in locked.contains { $0.cell.backend == row.cell.backend && $0.lost == 0 } }
    let safe = plain.filter { $0.lost == 0 }
    let parts: [RichText?] = [
      subject,
      saved.isEmpty ? nil : "with a lock file none\(saved.count == losing.count ? "" : " in \(names(saved))")",
      safe.isEmpty ? nil : "without one none in \(names(safe))",
    ]
    return ["\(RichText.joined(parts.compactMap { $0 }, "; "))."]
  }
}

extension SummaryRow {
  /// Whether the row counts the lost saves of two processes that share a store.
  fileprivate var isShared: Bool { status == .ok && finding(SharingFinding.lostUpdates) != nil }

  private func count(_ name: String) -> Int { Int(finding(name) ?? 0) }

  /// The number of acknowledged saves of both processes together.
  fileprivate var saves: Int { count(SharingFinding.saves) + count(SharingFinding.otherSaves) }
  fileprivate var lost: Int { count(SharingFinding.lostUpdates) }
  fileprivate var stale: Int { count(SharingFinding.staleReads) }
  fileprivate var kills: Int { count(SharingFinding.kills) }
  fileprivate var stuck: Int { count(SharingFinding.stuck) }

  fileprivate var errorWords: String {
    let codes = findings.filter { $0.name.hasPrefix("\(SharingFinding.errors)_") && $0.value > 0 }
      .map { "\(Quantity.grouped(Int($0.value))) \($0.name.dropFirst(SharingFinding.errors.count + 1))" }
    return Quantity.grouped(count(SharingFinding.errors)) + (codes.isEmpty ? "" : " (\(codes.joined(separator: ", ")))")
  }

  fileprivate func has(_ option: String) -> Bool {
    "\(cell.workload.options)".split(separator: ":").contains { $0 == option }
  }
}
