import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

/// A check of a run against rules: counts exactly, times by their intervals.
struct RuleCheck {
  let rules: [Rule]
  /// The rules' file, for messages.
  let path: String

  /// The timed trials that the rules need: a cell's figures by round.
  private typealias Series = [String: [Int: Timing]]

  /// Judges a run.
  ///
  /// - Throws: `UsageError` if a rule names a cell that the run does not have, or if its trials cannot be read.
  func comparison(_ model: ReportModel) throws -> Comparison {
    let rows = Dictionary(model.rows.map { ($0.cell.name, $0) }, uniquingKeysWith: { first, _ in first })
    for rule in rules {
      for cell in rule.cells where rows[cell] == nil {
        throw UsageError(
          "\(path), line \(rule.line): \(model.directory.url.path) has no cell '\(cell)'; "
            + (Nearest.candidate(to: cell, among: rows.keys.sorted()).map { "the nearest is '\($0)'" }
              ?? "it has no cells"))
      }
    }
    let named = Set(rules.flatMap(\.cells))
    var series: Series = [:]
    _ = try model.journal.forEach { trial in
      guard trial.status == .ok, let timing = trial.timing, let round = trial.round else { return }
      let name = trial.cell.name
      // A lengthened trial replaces one that was not steady.
      if named.contains(name), series[name]?[round] == nil || trial.lengthened == true {
        series[name, default: [:]][round] = timing
      }
    }
    return Comparison(
      subject: .rules, base: .init(name: path),
      head: .init(name: model.directory.name, machine: model.environment.machine),
      judgements: rules.map { judge($0, rows, series) }, notes: model.warnings)
  }

  private func judge(_ rule: Rule, _ rows: [String: SummaryRow], _ series: Series) -> Judgement {
    let concerned = rule.cells.compactMap { rows[$0] }
    if let failed = concerned.first(where: { $0.status == .failed }) {
      return Judgement(name: rule.text, verdict: .failed, note: "\(failed.cell.name) failed: \(failed.note)")
    }
    if let refused = concerned.first(where: { $0.status != .ok }) {
      return Judgement(
        name: rule.text, verdict: .unmeasurable,
        note: "\(refused.cell.name) is \(refused.status.rawValue): \(refused.note)")
    }
    switch rule.metric.source {
    case .processes(let value):
      if Set(concerned.map(\.machine)).count > 1 {
        return Judgement(
          name: rule.text, verdict: .unmeasurable, note: "the cells were timed on different machines")
      }
      let judgement = judgeTimes(rule, series, value)
      guard !keepsLimit(rule, judgement.verdict), judgement.verdict != .unmeasurable,
        let disturbed = concerned.first(where: \.isDisturbed)
      else { return judgement }
      return Judgement(
        name: rule.text, verdict: .unmeasurable,
        note: "\(disturbed.cell.name) was disturbed: \(disturbed.disturbance ?? "")")
    case .perOperation(let path):
      return judgeCounts(rule, concerned) { row in row.perOperation(path) }
    case .total(let path):
      return judgeCounts(rule, concerned) { row in row.cost?[keyPath: path].map { Double($0) } }
    }
  }

  /// Returns whether a rule holds even for a disturbed row. Other work makes operations longer and fewer. So an upper
  /// limit of a time, or a lower limit of a number per second, would also hold without it.
  private func keepsLimit(_ rule: Rule, _ verdict: ChangeVerdict) -> Bool {
    guard case .value = rule.bound, verdict == .holds else { return false }
    switch rule.comparator {
    case .less, .atMost: return rule.metric.unit == .time
    case .atLeast, .more: return rule.metric.unit != .time
    case .equal: return false
    }
  }

  // MARK: - Counts

  private func judgeCounts(
    _ rule: Rule, _ rows: [SummaryRow], _ value: (SummaryRow) -> Double?
  ) -> Judgement {
    guard let row = rows.first, let left = value(row) else { return notMeasured(rule, rule.cell) }
    let right: Double
    switch rule.bound {
    case .value(let bound): right = bound
    case .cell(let name, let factor):
      guard let other = rows.last, let bound = value(other) else { return notMeasured(rule, name) }
      right = factor * bound
    }
    return Judgement(
      name: rule.text, verdict: rule.comparator.verdict(left, right),
      note: "\(NumberFormat.plain(left)) against \(NumberFormat.plain(right))")
  }

  private func notMeasured(_ rule: Rule, _ cell: String) -> Judgement {
    Judgement(
      name: rule.text, verdict: .unmeasurable, note: "\(cell) has no \(rule.metric.name): it was not measured")
  }

  // MARK: - Times

  private func judgeTimes(
    _ rule: Rule, _ series: Series, _ value: (Timing) -> Double?
  ) -> Judgement {
    let timings = series[rule.cell] ?? [:]
    let (count, bound): (Int, Double)
    let (middle, interval): (Double?, MedianInterval?)
    switch rule.bound {
    case .value(let limit):
      let values = timings.values.compactMap(value).filter { $0 > 0 }.sorted()
      (count, bound) = (values.count, limit)
      (middle, interval) = (Quantile.median(of: values), MedianInterval(of: values))
    case .cell(let name, let factor):
      // Compared round by round, so that a drift of the machine does not appear as a difference.
      let pairs = timings.compactMap { round, timing in series[name]?[round].map { (base: $0, head: timing) } }
      // If only one of the two was timed in batches, their means are compared, as in other comparisons.
      let isMixed = rule.metric.isTypicalTime && pairs.contains { $0.base.isBatched != $0.head.isBatched }
      let value = isMixed ? { $0.mean } : value
      let ratio = PairedRatio(
        pairs: pairs.compactMap { pair in
          value(pair.base).flatMap { base in value(pair.head).map { (base, $0) } }
        })
      (count, bound) = (ratio?.pairs ?? 0, factor)
      (middle, interval) = (ratio?.ratio, ratio?.interval)
    }
    guard let middle, let interval else {
      let rounds = count == 1 ? "1 round" : "\(count) rounds"
      // A high percentile needs more operations than a short trial has.
      let isShort = count < MedianInterval.fewestValues && timings.count >= MedianInterval.fewestValues
      return Judgement(
        name: rule.text, verdict: .unmeasurable,
        note: "\(rule.metric.name) rests on \(rounds), and is judged from \(MedianInterval.fewestValues) on"
          + (isShort ? "; the trials have too few operations for it: give run a longer --trial-time" : ""))
    }
    let verdict = rule.comparator.verdict(interval, bound)
    return Judgement(
      name: rule.text, verdict: verdict,
      note: words(rule, middle, interval) + (verdict == .unmeasurable ? ", too wide an interval to tell" : ""))
  }

  private func words(_ rule: Rule, _ middle: Double, _ interval: MedianInterval) -> String {
    if case .cell = rule.bound { return NumberFormat.ratio(middle, low: interval.low, high: interval.high) }
    let text = rule.metric.text
    return "\(text(middle)) (\(text(interval.low)) to \(text(interval.high)))"
  }
}
