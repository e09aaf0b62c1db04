import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

/// A check of a run against the user's rules. Numbers such as syncs are compared exactly, times by confidence
/// intervals.
struct RuleCheck {
  let rules: [Rule]
  let path: String
  /// The name of the checked run in reports; nil to use the name of its directory.
  var name: String?

  /// The measured times by the name of the benchmark, and then by the number of the round (repetition).
  private typealias Series = [String: [Int: Timing]]

  /// A rule and one benchmark, `row`, that the rule limits. `other` is the benchmark to compare with, if any.
  private struct Case {
    var rule: Rule
    var row: SummaryRow
    var other: SummaryRow?

    var rows: [SummaryRow] { [row] + [other].compactMap { $0 } }
    /// Whether the rule ignores this benchmark. A pattern such as `sqlite/*` ignores benchmarks that cannot be run.
    var isLeftOut: Bool { rule.isPattern && row.status == .notAvailable }
  }

  private struct Outcome {
    var verdict: ChangeVerdict
    var note: String
    var namesCell = false
    var figures: RuleFigures?

    /// The measured value divided by the rule's limit; nil if not compared, or if the limit is 0.
    var ratio: Double? { figures.flatMap { $0.bound > 0 ? $0.value / $0.bound : nil } }
  }

  /// Checks the measurements of a run against the rules.
  ///
  /// - Throws: `UsageError` if a rule names a missing benchmark or quantity, or if the run cannot be read.
  func comparison(_ model: ReportModel) throws -> Comparison {
    let rows = Dictionary(model.rows.map { ($0.cell.name, $0) }, uniquingKeysWith: { first, _ in first })
    let names = model.rows.map(\.cell.name)
    let run = model.directory.url.path
    let cases = try rules.map { rule in
      try rule.judged(among: names, of: run).compactMap { name in
        try rows[name].map { Case(rule: rule, row: $0, other: try other(rule, $0.cell, rows, run)) }
      }
    }
    let named = Set(cases.joined().flatMap { $0.rows.map(\.cell.name) })
    var series: Series = [:]
    _ = try model.journal.forEach { trial in
      guard trial.status == .ok, let timing = trial.timing, let round = trial.round else { return }
      let name = trial.cell.name
      // A trial with unsteady latencies is followed by a longer trial, which replaces it.
      if named.contains(name), series[name]?[round] == nil || trial.lengthened == true {
        series[name, default: [:]][round] = timing
      }
    }
    let judgements = zip(rules, cases).map { judge($0, $1, series) }
    // Numbers of system calls do not depend on the machine's state, so warnings about that state belong only to rules
    // about times.
    let warnings = rules.contains(where: \.metric.isTimed) ? model.warnings : model.readingWarnings
    return Comparison(
      subject: .rules, base: .init(name: path),
      head: .init(name: name ?? model.directory.name, machine: model.environment.machine),
      judgements: judgements, notes: warnings + [leftOut(cases.joined())].compactMap { $0 })
  }

  private func leftOut(_ cases: some Sequence<Case>) -> String? {
    let cells = cases.filter(\.isLeftOut).map { "\($0.row.cell.name) (\($0.row.note))" }.unique
    guard !cells.isEmpty else { return nil }
    return "Patterns leave out \(Quantity.counted(cells.count, "cell")) that cannot be run: "
      + cells.prefix(3).joined(separator: ", ") + (cells.count > 3 ? ", ..." : ".")
  }

  private func other(_ rule: Rule, _ cell: Cell, _ rows: [String: SummaryRow], _ run: String) throws -> SummaryRow? {
    try rule.requireMetric(of: cell)
    guard let other = rule.other(of: cell.name) else { return nil }
    guard let row = rows[other] else {
      throw UsageError(
        "\(rule.location): \(run) has no cell '\(other)'"
          + (Nearest.candidate(to: other, among: rows.keys.sorted()).map { "; the nearest is '\($0)'" } ?? ""))
    }
    return row
  }

  /// Returns the verdict on a rule, such as satisfied or broken. Among the benchmarks in `cases`, the one with the
  /// worst result decides.
  private func judge(_ rule: Rule, _ cases: [Case], _ series: Series) -> Judgement {
    let judged = cases.filter { !$0.isLeftOut }
    for pattern in rule.patterns.map(Glob.init) where !judged.contains(where: { pattern.matches($0.row.cell.name) }) {
      guard let row = cases.first(where: { pattern.matches($0.row.cell.name) })?.row else { continue }
      return Judgement(name: rule.text, verdict: .unmeasurable, note: "\(row.cell.name) is n/a: \(row.note)")
    }
    let outcomes = judged.map { (name: $0.row.cell.name, outcome: judge($0, series)) }
    let verdict = outcomes.reduce(ChangeVerdict.holds) { $0.worse($1.outcome.verdict) }
    let decisive = outcomes.filter { $0.outcome.verdict == verdict }
    let worst = decisive.max { distance(rule, $0.outcome) < distance(rule, $1.outcome) } ?? outcomes[0]
    var note = worst.outcome.note
    if rule.isPattern, !worst.outcome.namesCell { note = "\(worst.name): \(note)" }
    if outcomes.count > 1 {
      note +=
        verdict == .holds
        ? "; the closest of \(outcomes.count) cells"
        : "; \(verdict == .unmeasurable ? "not judged" : verdict.rawValue) in \(decisive.count) of \(outcomes.count) cells"
    }
    return Judgement(name: rule.text, verdict: verdict, note: note, figures: worst.outcome.figures)
  }

  /// Returns a number that is larger for a worse outcome; minus infinity if nothing was compared.
  private func distance(_ rule: Rule, _ outcome: Outcome) -> Double {
    guard let ratio = outcome.ratio else { return -.infinity }
    switch rule.comparator {
    case .less, .atMost: return ratio
    case .equal: return abs(ratio - 1)
    case .atLeast, .more: return -ratio
    }
  }

  private func judge(_ item: Case, _ series: Series) -> Outcome {
    let rule = item.rule
    if let failed = item.rows.first(where: { $0.status == .failed }) {
      return Outcome(verdict: .failed, note: "\(failed.cell.name) failed: \(failed.note)", namesCell: true)
    }
    // A benchmark that takes too long to be timed may still have counted system calls.
    if let refused = item.rows.first(where: { $0.status != .ok && (rule.metric.isTimed || $0.cost == nil) }) {
      return Outcome(
        verdict: .unmeasurable, note: "\(refused.cell.name) is \(refused.status.rawValue): \(refused.note)",
        namesCell: true)
    }
    switch rule.metric.source {
    case .processes(let value):
      if Set(item.rows.map(\.machine)).count > 1 {
        return Outcome(verdict: .unmeasurable, note: "the cells were timed on different machines")
      }
      let outcome = judgeTimes(item, series, value)
      guard !keepsLimit(rule, outcome.verdict), outcome.verdict != .unmeasurable,
        let disturbed = item.rows.first(where: \.isDisturbed)
      else { return outcome }
      return Outcome(
        verdict: .unmeasurable, note: "\(disturbed.cell.name) was disturbed: \(disturbed.disturbance ?? "")",
        namesCell: true)
    case .counts(let value): return judgeCounts(item, value)
    }
  }

  /// Returns whether the rule is certainly satisfied. For example, a time below a fixed limit is certain, because other
  /// programs can only make measured times longer.
  private func keepsLimit(_ rule: Rule, _ verdict: ChangeVerdict) -> Bool {
    guard rule.template == nil, verdict == .holds else { return false }
    switch rule.comparator {
    case .less, .atMost: return rule.metric.unit == .time
    case .atLeast, .more: return rule.metric.unit != .time
    case .equal: return false
    }
  }

  private func judgeCounts(_ item: Case, _ value: (SummaryRow) -> Double?) -> Outcome {
    let rule = item.rule
    if let row = item.rows.first(where: { value($0) == nil }) {
      return Outcome(
        verdict: .unmeasurable, note: "\(row.cell.name) has no \(rule.metric.name): it was not measured",
        namesCell: true)
    }
    let values = item.rows.compactMap(value)
    let (left, right) = (values[0], item.other == nil ? rule.bound : rule.bound * values[1])
    var outcome = Outcome(
      verdict: rule.comparator.verdict(left, right),
      note: "\(NumberFormat.plain(left)) against \(NumberFormat.plain(right))",
      figures: RuleFigures(value: left, bound: right))
    outcome.note += margin(outcome.ratio, NumberFormat.countChange)
    return outcome
  }

  private func margin(_ ratio: Double?, _ words: (Double) -> String) -> String {
    guard let ratio, abs(ratio - 1) > 1e-12 else { return "" }
    return " (\(words(ratio)))"
  }

  private func judgeTimes(_ item: Case, _ series: Series, _ value: (Timing) -> Double?) -> Outcome {
    let rule = item.rule
    let timings = series[item.row.cell.name] ?? [:]
    let (count, middle, interval): (Int, Double?, MedianInterval?)
    if let other = item.other {
      // A comparison within each round cancels slow changes of the machine's speed.
      let others = series[other.cell.name] ?? [:]
      let pairs = timings.compactMap { round, timing in others[round].map { (base: $0, head: timing) } }
      // If only one of the two benchmarks was timed in batches of operations, their mean times are compared.
      let isMixed = rule.metric.name == "p50" && pairs.contains { $0.base.isBatched != $0.head.isBatched }
      let value = isMixed ? { $0.mean } : value
      let ratio = PairedRatio(
        pairs: pairs.compactMap { pair in
          value(pair.base).flatMap { base in value(pair.head).map { (base, $0) } }
        })
      (count, middle, interval) = (ratio?.pairs ?? 0, ratio?.ratio, ratio?.interval)
    } else {
      let values = timings.values.compactMap(value).filter { $0 > 0 }.sorted()
      (count, middle, interval) = (values.count, Quantile.median(of: values), MedianInterval(of: values))
    }
    guard let middle, let interval else {
      let rounds = count == 1 ? "1 round" : "\(count) rounds"
      // A high percentile, such as p999, needs more operations than a short trial has.
      let isShort = count < MedianInterval.fewestValues && timings.count >= MedianInterval.fewestValues
      return Outcome(
        verdict: .unmeasurable,
        note: "\(rule.metric.name) rests on \(rounds), and is judged from \(MedianInterval.fewestValues) on"
          + (isShort ? "; the trials have too few operations for it: give a longer --trial-time" : ""))
    }
    let text = rule.metric.text
    var outcome = Outcome(
      verdict: rule.comparator.verdict(interval, rule.bound),
      note: item.other == nil
        ? "\(text(middle)) (\(text(interval.low)) to \(text(interval.high)))"
        : NumberFormat.ratio(middle, low: interval.low, high: interval.high)
          + " against \(NumberFormat.plain(rule.bound))",
      figures: RuleFigures(value: middle, low: interval.low, high: interval.high, bound: rule.bound))
    outcome.note +=
      outcome.verdict == .unmeasurable
      ? ", too wide an interval to tell" : margin(outcome.ratio, NumberFormat.change)
    return outcome
  }
}
