import StorageContract

/// What a power cut does to what was saved, in the words of an app's author.
enum PowerCut {
  /// `may lose the last save`.
  ///
  /// - Parameters:
  ///   - level: What is promised; nil for reads.
  ///   - syncs: How often an operation syncs; nil where that was not counted.
  static func words(_ level: Level?, syncs: Double?) -> String {
    switch level {
    case .durable: "nothing lost"
    // Less than one sync a save: several saves wait for the next one.
    case .intact: (syncs ?? 1) < 0.5 ? "may lose the last saves" : "may lose the last save"
    case .crash: "may be corrupt"
    case .fragile: "! a crash can empty it"
    case .volatile: "keeps nothing"
    case nil: "-"
    }
  }

  /// `may lose the last save, 4 syncs a save`: what a time must be read with where backends promise alike but wait for
  /// different things.
  static func stake(_ row: SummaryRow) -> String {
    let syncs = row.perOperation(\.syncs)
    let counted = syncs.map { count in
      let number = NumberFormat.perOperation(count)
      return
        "\(number) \(number == "1" ? "sync" : "syncs") \(row.cell.workload.id.hasPrefix("save") ? "a save" : "an operation")"
    }
    return ([words(row.level, syncs: syncs)] + [counted].compactMap { $0 }).joined(separator: ", ")
  }
}

extension SummaryRow {
  /// What a power cut does to what was saved.
  var afterPowerCut: String { PowerCut.words(level, syncs: perOperation(\.syncs)) }
}
