import Foundation
import StorageContract
import StorageStatistics

enum ComparisonSentences {
  /// Returns a sentence with the number of benchmarks or rules for each verdict:
  /// `2 of 56 cells slower (confirmed), 50 the same, 4 not judged.`
  static func headline(_ comparison: Comparison) -> String {
    let total = comparison.judgements.count
    let one = comparison.subject == .rules ? "rule" : "cell"
    guard total > 0 else { return "No \(one) was compared." }
    let parts = ChangeVerdict.allCases.map { ($0, comparison.judgements($0).count) }.filter { $0.1 > 0 }
    return parts.enumerated().map { index, part in
      let of = index == 0 ? " of \(Quantity.counted(total, one))" : ""
      return "\(Quantity.grouped(part.1))\(of) \(words(part.0, of: comparison.subject))"
    }.joined(separator: ", ") + "."
  }

  private static func words(_ verdict: ChangeVerdict, of subject: Comparison.Subject) -> String {
    switch verdict {
    case .slower: "slower (confirmed)"
    case .faster: "faster (confirmed)"
    case .more: "with higher counts"
    case .fewer: "with lower counts"
    // The times of two separate runs are shown but not judged, so `the same` would claim too much.
    case .same: subject == .runs || subject == .costs ? "with equal counts" : "the same"
    case .unmeasurable: "not judged"
    case .holds: "kept"
    case .failed, .broken, .notAvailable: verdict.rawValue
    }
  }

  /// Returns the word for a verdict, such as `fewer`. A verdict that fails a CI check is in capitals: `SLOWER`.
  static func mark(_ verdict: ChangeVerdict) -> String {
    switch verdict.result {
    case .failure, .regression: verdict.rawValue.uppercased()
    case .notJudged: "not judged"
    case .improvement, .fine: verdict.rawValue
    }
  }

  static func details(_ judgement: Judgement) -> String {
    let isJudged = [.slower, .faster, .unmeasurable].contains(judgement.verdict)
    let time = judgement.time.flatMap { isJudged || abs($0.ratio - 1) > $0.margin ? self.time($0) : nil }
    let detectable = detectable(judgement).map { "a change of \($0) or more would have been found" }
    return countsAndNote(judgement, [time, detectable].compactMap { $0 })
  }

  static func countsAndNote(_ judgement: Judgement, _ times: [String] = []) -> String {
    (judgement.counts.filter { $0.verdict != .same }.map(count) + times + [judgement.note]).filter { !$0.isEmpty }
      .joined(separator: "; ")
  }

  static func count(_ change: CountChange) -> String {
    let unit = change.unit == "B" ? " B" : ""
    let operations = change.operations == 1 ? "one operation" : "\(Quantity.grouped(change.operations)) operations"
    let share = NumberFormat.countChange(Double(change.head) / Double(change.base))
    return "\(change.metric) \(Quantity.grouped(change.base)) -> \(Quantity.grouped(change.head))\(unit) in "
      + operations + (change.base == 0 ? "" : " (\(share))")
  }

  /// Returns a change of time as text: `+21 % by 12 pairs, p50 4.1 µs -> 5.0 µs`. A pair is one process of the old and
  /// one of the new side.
  static func time(_ change: TimeChange) -> String {
    let times = "\(NumberFormat.time(change.base)) -> \(NumberFormat.time(change.head))"
    let ratio = NumberFormat.change(change.ratio)
    guard change.pairs > 0 else { return "p50 \(times) (\(ratio); advice, not measured side by side)" }
    return "\(ratio) by \(change.pairs) pairs\(interval(change).map { " (\($0))" } ?? ""), "
      + "\(change.comparesMeans ? "mean" : "p50") \(times)"
  }

  /// Returns the smallest detectable change of time as text: `5.2 %`. Nil if unknown, or if the verdict is not `same`.
  static func detectable(_ judgement: Judgement) -> String? {
    judgement.verdict == .same ? judgement.time?.smallestDetectable.map(share) : nil
  }

  /// Returns a sentence on the largest difference between the times of two separate runs. Nil if no times were
  /// compared.
  static func advice(_ comparison: Comparison) -> String? {
    let timed = comparison.judgements.compactMap { judgement in
      judgement.time.flatMap { $0.pairs == 0 ? (judgement.name, $0.ratio) : nil }
    }
    guard comparison.subject == .runs, let most = timed.max(by: { abs(log($0.1)) < abs(log($1.1)) }) else { return nil }
    return "Largest difference between times: \(NumberFormat.change(most.1)), in \(most.0)."
  }

  /// Returns a sentence on the smallest detectable time changes of benchmarks with the verdict `same`. Nil if there is
  /// nothing to report.
  static func detectable(_ comparison: Comparison) -> String? {
    let shares = comparison.judgements(.same).compactMap { $0.time?.smallestDetectable }
    guard comparison.subject != .noise, let least = shares.min(), let most = shares.max() else { return nil }
    let (low, high) = (share(least), share(most))
    let cells = shares.count == 1 ? "the cell that is" : "the \(Quantity.grouped(shares.count)) cells that are"
    return "In \(cells) the same a change of \(low == high ? low : "\(low) to \(high)") or more would have been found."
  }

  private static func share(_ share: Double) -> String { String(NumberFormat.percent(of: 1 + share).dropFirst()) }

  static func unfit(_ comparison: Comparison) -> String? {
    guard let method = comparison.method, let unfit = method.unfit else { return nil }
    let reason = "The machine was not quiet: \(unfit)."
    if comparison.subject == .noise { return reason }
    guard let bound = method.bound else { return "\(reason) No time is judged." }
    return "\(reason) Only changes whose whole interval lies beyond \(NumberFormat.ratio(bound)) are judged: "
      + "the noise that the control and the probes of this run show, and half as much again."
  }

  static func interval(_ change: TimeChange) -> String? {
    guard let low = change.low, let high = change.high else { return nil }
    return NumberFormat.change(low, high)
  }

  static func method(_ comparison: Comparison) -> String? {
    guard let method = comparison.method else { return nil }
    let syncing = method.rounds == method.syncingRounds ? "" : " (\(method.syncingRounds) where a cell syncs)"
    let time = NumberFormat.time(Double(method.trialTime))
    return "Times: \(method.rounds) pairs of processes\(syncing) of \(time) each, 96 % intervals of the median ratio; "
      + (comparison.subject == .noise
        ? "nothing is measured a second time."
        : "where pairs scatter there are more; what looks changed is measured a second time, and that decides.")
  }
}

extension NumberFormat {
  /// Returns a ratio of times (new divided by old) as text: `+21 %`, `2.5 times as long` or `2.5 times as fast`.
  public static func change(_ ratio: Double) -> String {
    if ratio >= 2 { return "\(times(ratio)) times as long" }
    if ratio > 0, ratio <= 0.5 { return "\(times(1 / ratio)) times as fast" }
    return percent(of: ratio)
  }

  /// Returns a ratio of counts (new divided by old) as text: `-81 %`, `+<0.1 %` or `2.5 times as many`.
  public static func countChange(_ ratio: Double) -> String {
    if ratio >= 2 { return "\(times(ratio)) times as many" }
    let percent = (ratio - 1) * 100
    if percent != 0, abs(percent) < 0.05 { return percent > 0 ? "+<0.1 %" : "-<0.1 %" }
    return self.percent(of: ratio)
  }

  /// Returns an interval of time ratios (new divided by old) as text: `+18 to +24 %`. Large ratios are shown as
  /// factors: `4.9 to 5.4`.
  public static func change(_ low: Double, _ high: Double) -> String {
    if low >= 2 { return "\(times(low)) to \(times(high))" }
    if low > 0, high <= 0.5 { return "\(times(1 / high)) to \(times(1 / low))" }
    return "\(percent(of: low).dropLast(2)) to \(percent(of: high))"
  }

  private static func times(_ factor: Double) -> String { fixed(factor, factor < 10 ? 1 : 0) }

  fileprivate static func percent(of ratio: Double) -> String {
    let percent = (ratio - 1) * 100
    let text = fixed(abs(percent), abs(percent) < 9.95 ? 1 : 0)
    return "\(percent < 0 ? "-" : "+")\(text) %"
  }
}
