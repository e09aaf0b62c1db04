import StorageContract
import StorageReport
import StorageRunFiles

/// The values of the option `--max-increase`. For example, `bytes=5` permits 5 % more written bytes than before.
struct Tolerances {
  private var shares: [String: Double] = [:]

  init() {}

  init(_ texts: [String], metrics: [Measure]) throws {
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let metric = metrics.first(where: { $0.name == parts[0] || $0.column == parts[0] }) else {
        throw UsageError("--max-increase: " + Nearest.sentence("metric", parts[0], among: metrics.map(\.name)))
      }
      guard parts.count == 2, let percent = Percent(parts[1]) else {
        throw UsageError(
          "--max-increase '\(text)' is not usable; give a metric and a percentage, such as \(metric.name)=5")
      }
      shares[metric.name] = percent.share
    }
  }

  /// Returns the permitted increase of a metric such as `syncs`, as a fraction: 0.05 for 5 %.
  func share(_ metric: Measure, in row: SummaryRow) -> Double {
    shares[metric.name] ?? (row.countsVary ? max(metric.tolerance, Measure.varyingTolerance) : metric.tolerance)
  }

  static func note(_ rows: [SummaryRow]) -> String? {
    let names = Set(rows.filter(\.countsVary).map(\.cell.backend.id)).sorted()
    guard !names.isEmpty else { return nil }
    let (verb, whose) = names.count == 1 ? ("says", "its") : ("say", "their")
    return "\(names.joined(separator: ", ")) \(verb) that \(whose) counts do not repeat exactly: "
      + "up to \(Int(100 * Measure.varyingTolerance)) % more or less counts as the same."
  }
}

/// A percentage as users write it: `5`, `5%` or `2.5 %`.
struct Percent {
  /// The percentage as a fraction: 0.05 for 5 %.
  let share: Double

  /// Parses a percentage; nil if the text is not a number from 0 to 10,000.
  init?(_ text: String) {
    let digits = text.hasSuffix("%") ? String(text.dropLast()) : text
    let number = digits.hasSuffix(" ") ? String(digits.dropLast()) : digits
    guard let percent = RuleMetric.number(number), percent <= 10_000 else { return nil }
    share = percent / 100
  }
}
