import StorageContract
import StorageRunFiles
import StorageStatistics

/// Words and sentences for benchmark results, which all report formats share.
enum Phrases {
  static func count(_ rows: [SummaryRow]) -> String {
    let parts = [Status.ok, .failed, .notAvailable, .skipped].map { status in
      (count: rows.count { $0.status == status }, status: status.rawValue)
    }.filter { $0.count > 0 }.map { "\(Quantity.grouped($0.count)) \($0.status)" }
    return "\(Quantity.counted(rows.count, "cell")): \(parts.isEmpty ? "none" : parts.joined(separator: ", "))."
  }

  /// Returns a text on imitated or emulated engines that are faster than the winner of a ranking. Nil if there are
  /// none.
  static func ahead(_ group: ComparisonGroup, _ name: (SummaryRow) -> String) -> String? {
    let parts = [(Fidelity.workAlike, "unranked"), (.emulated, "emulated")].compactMap { fidelity, words -> String? in
      let names = group.aheadOfBest.filter { $0.fidelity == fidelity }.map(name)
      return names.isEmpty ? nil : "\(list(names)) \(names.count == 1 ? "is" : "are") faster still, but \(words)"
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  static func undecided(_ groups: [ComparisonGroup], rounds: Int) -> String? {
    let open = groups.count { $0.contest.outcome == .undecided }
    guard open > 0 else { return nil }
    let needed = MedianInterval.fewestValues
    if rounds < needed {
      return
        "No winner is named: the run has \(rounds == 1 ? "1 round" : "\(rounds) rounds"), and from \(needed) on they can be distinguished from noise."
    }
    return
      "\(open == 1 ? "One question names" : "\(open) questions name") no winner: its rows have fewer than \(needed) rounds in common."
  }

  static func openLoop(_ model: ReportModel) -> String? {
    guard let rate = model.plan.rate else { return nil }
    let late = model.rows.count(where: \.fellBehind)
    let behind =
      " \(late == 1 ? "One cell" : "\(late) cells") could not keep up: the longer such a trial, the longer its queue, "
      + "and the latencies with it; ask for fewer operations a second."
    return
      "Open loop: operations were started on schedule, \(NumberFormat.plain(rate)) a second, and latencies count from when "
      + "each was due.\(late > 0 ? behind : "")"
  }

  /// Returns the mark for an imitated or emulated engine, such as `work-alike` or `emulated`. Nil for a real engine.
  static func mark(_ row: SummaryRow) -> String? {
    switch (row.fidelity, row.likeness?.shape) {
    case (.native, _): nil
    case (.workAlike, let shape?) where shape != .holds: shape.rawValue
    case (let fidelity, _): fidelity.rawValue
    }
  }

  /// Returns the marks shown beside a time, such as `×1` for one sample. Marks that depend on other results are not
  /// included.
  static func marks(_ row: SummaryRow) -> [String] {
    let isUnranked = row.status == .ok && !ComparisonGroup.isRanked(row) && row.typicalTime != nil
    return [
      isUnranked ? (row.isDisturbed ? "disturbed" : "floor") : nil, row.isTimedOnce ? "×1" : nil,
      row.isBatched ? "batched" : nil, mark(row),
    ].compactMap { $0 }
  }

  static func name(_ row: SummaryRow) -> String { name(row.cell.backend, like: row) }

  /// Returns the report name of `backend` that `row` contains, such as `SQLite`. If `row` is nil or has no such name,
  /// returns the command-line name, such as `sqlite`.
  static func name(_ backend: Spec, like row: SummaryRow?) -> String {
    name(backend, row?.appearance) ?? backend.description
  }

  static func name(_ backend: Spec, _ appearance: Appearance?) -> String? {
    appearance.map { $0.name + (backend.options.isEmpty ? "" : " \(backend.options)") }
  }

  /// Returns the word shown instead of a time: `FAILED`, `n/a` or `skipped`. Nil if the benchmark succeeded.
  static func refusal(_ row: SummaryRow) -> String? {
    switch row.status {
    case .ok: nil
    case .failed: "FAILED"
    case .skipped, .notAvailable: row.status.rawValue
    }
  }

  static func list(_ names: [String], _ word: String = "and") -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " \(word) " + last
  }

  static func factor(_ ratio: PairedRatio) -> String {
    guard let interval = ratio.interval else { return NumberFormat.ratio(ratio.ratio) }
    return NumberFormat.ratio(ratio.ratio, low: interval.low, high: interval.high)
  }

  /// Returns the factor by which `head` is slower than `base`, if both were timed: `3.1× (2.9-3.4)`. Too few rounds have
  /// no interval.
  static func slowdown(base: SummaryRow, head: SummaryRow) -> String? {
    RowComparison(base: base, head: head).map { factor($0.ratio) }
      ?? RowComparison.factor(base: base, head: head).map { NumberFormat.ratio($0.value) }
  }

  static func line(_ row: SummaryRow) -> String {
    if let refusal = refusal(row) { return "\(row.cell.name): \(refusal), \(row.note)" }
    let parts = [
      row.typicalTime.map(NumberFormat.time),
      row.perOperation(\.bytesWrittenSettled).map { "\(NumberFormat.bytes($0))/op" },
      row.perOperation(\.syncs).map { "\(NumberFormat.perOperation($0)) syncs/op" },
    ].compactMap { $0 }
    let words = parts.isEmpty ? "ok" : parts.joined(separator: ", ")
    return "\(row.cell.name): \(words)" + (row.note.isEmpty ? "" : " (\(row.note))")
  }

  /// Returns a sentence on the confidence intervals, if any, that may miss the true value. Nil for several machines.
  static func coverage(_ model: ReportModel) -> String? {
    guard Set(model.rows.map(\.machine)).count == 1 else { return nil }
    let rates = model.rows.filter { $0.p50Interval != nil }.compactMap {
      MedianInterval.errorRate(count: $0.rounds.count, unit: $0.rounds.unit)
    }
    guard let rate = rates.max() else { return nil }
    let missing = rates.reduce(0, +)
    let expected = missing < 0.95 ? "fewer than one" : "about \(Quantity.whole(missing))"
    let chance = "\(Quantity.counted(rates.count, "interval")), each wrong in \(NumberFormat.percent(rate)) of cases"
    if model.runs.isEmpty {
      return "One run on one machine: its intervals cover this run, and another run's medians may lie outside. Of "
        + "\(chance), \(expected) can be expected to miss the median of this run's conditions."
    }
    return
      "\(spread(model) ?? "") Intervals show where the median of a further run would lie. Of \(chance), \(expected) "
      + "can be expected to miss it."
  }

  /// Returns a sentence on the differences between the slowest and the fastest run of a benchmark.
  private static func spread(_ model: ReportModel) -> String? {
    let spreads = model.rows.compactMap { row -> (cell: String, share: Double)? in
      let times = row.rounds.values.map(\.typical)
      guard row.rounds.unit == .run, times.count > 1, let low = times.min(), let high = times.max(), low > 0 else {
        return nil
      }
      return (row.cell.name, high / low - 1)
    }
    guard let most = spreads.max(by: { $0.share < $1.share }),
      let middle = Quantile.median(of: spreads.map(\.share).sorted())
    else { return nil }
    return "Medians of \(model.runs.count) runs (\(list(model.runs.map(\.name)))) differed by "
      + "\(NumberFormat.percent(middle)) in the middle row, and by up to \(NumberFormat.percent(most.share)) "
      + "(\(most.cell))."
  }

  /// Returns the text `inconclusive, a difference of 24 % would show`. The run detects a difference of 24 % with a
  /// probability of 80 %.
  static func inconclusive(_ comparisons: [RowComparison]) -> String {
    let least = comparisons.filter { $0.verdict == .inconclusive }.compactMap(\.smallestDifference).max()
    guard let least, least.isFinite else { return "inconclusive" }
    return "inconclusive, a difference of \(NumberFormat.percent(least)) would show"
  }

  static func noise(_ model: ReportModel) -> String? {
    let noise = model.noise
    let others = noise.others.map(NumberFormat.plusMinus)
    let syncing = noise.syncing.map { "syncs \(NumberFormat.plusMinus($0))" }
    guard let others, let syncing else { return others ?? syncing }
    return "\(others) (\(syncing))"
  }
}

/// A word or symbol in reports that a reader may not know, with its definition.
enum Term: String, CaseIterable, Sendable {
  case cell
  case workAlike = "work-alike"
  case port = "(Linux)"
  case optimistic
  case pessimistic
  case notComparable = "not comparable"
  case aboutEqual = "~"
  case inconclusive = "?"
  case exceeds = "^"
  case timedOnce = "×1"
  case batched
  case emulated
  case floor
  case disturbed

  var words: String {
    switch self {
    case .cell: "one backend doing one workload at one size and promise"
    case .workAlike: "our own engine with Core Data's rules; Core Data itself does not run on Linux"
    case .port: "Foundation for Linux, not Apple's"
    case .optimistic: "our own engine does less here than Core Data does"
    case .pessimistic: "our own engine does more here than Core Data does"
    case .notComparable: "something that Core Data has not, or of which nothing is published"
    case .aboutEqual: "about equal to the fastest, the whole interval of the factor lying within 5 %"
    case .inconclusive: "inconclusive, the rounds do not show whether it is slower than the fastest"
    case .exceeds: Competition.exceeds
    case .timedOnce: "one sample (over 250 ms), never called the fastest"
    case .batched: "too short for the clock one by one, so many were timed together"
    case .emulated: "done by the suite as an app would do it, since the engine cannot"
    case .floor: "what no store can beat, shown without a rank"
    case .disturbed: "others used the machine meanwhile, so its time is compared with nothing"
    }
  }

  var definition: RichText { "\(code: rawValue): \(words)" }

  func isUsed(in text: String) -> Bool {
    // For speed, a text without the first letter of the term is rejected early.
    let letters = text.utf8
    func has(_ word: String) -> Bool {
      guard letters.count >= word.utf8.count, let first = word.utf8.first, letters.contains(first) else { return false }
      return text.split { " ,;:.()".contains($0) }.contains { $0 == word }
    }
    return switch self {
    case .cell: has("cell") || has("cells")
    // A `^` before a number is an exponent and not the term.
    case .exceeds: letters.contains(UInt8(ascii: "^")) && text.contains(/\^(?!\d)/)
    // On a terminal, the mark `~` follows the time without a space.
    case .aboutEqual: has(rawValue) || letters.last == UInt8(ascii: "~") && text.contains(/\d [nµm]?s~$/)
    case .inconclusive: has(rawValue) || letters.last == UInt8(ascii: "?") && text.contains(/\d [nµm]?s\?$/)
    case .workAlike, .timedOnce, .batched, .emulated, .floor, .disturbed, .optimistic, .pessimistic: has(rawValue)
    case .notComparable, .port: text.contains(rawValue)
    }
  }
}
