import ArgumentParser
import StorageContract
import StorageReport
import StorageRunFiles

/// The values of the option `--max-increase`. For example, `bytes=5` permits 5 % more written bytes than before.
struct Tolerances {
  private var shares: [String: Double] = [:]

  /// Returns the help of the option for a command that compares these metrics.
  static func help(_ metrics: [Measure]) -> ArgumentHelp {
    ArgumentHelp(
      """
      Allow a count to grow by this, such as bytes=5 (percent; default: 0%, allocations 1%; 10% for a backend whose \
      counts vary from run to run, as 'list backends' says). Counts: \(metrics.map(\.name).joined(separator: ", ")). \
      May be repeated.
      """,
      valueName: "metric=percent")
  }

  init() {}

  init(_ texts: [String], metrics: [Measure]) throws {
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let metric = metrics.first(where: { $0.name == parts[0] || $0.column == parts[0] }) else {
        throw UsageError("--max-increase: " + Nearest.sentence("metric", parts[0], among: metrics.map(\.name)))
      }
      guard parts.count == 2, let share = Self.share(ofPercent: parts[1]) else {
        throw UsageError(
          "--max-increase '\(text)' is not usable; give a metric and a percentage, such as \(metric.name)=5")
      }
      shares[metric.name] = share
    }
  }

  /// Returns the permitted increase of a metric such as `syncs`, as a fraction: 0.05 for 5 %.
  func share(_ metric: Measure, in row: SummaryRow) -> Double {
    shares[metric.name] ?? (row.countsVary ? max(metric.tolerance, Measure.varyingTolerance) : metric.tolerance)
  }

  /// Parses a percentage such as `5`, `5%` or `2.5 %` into a fraction; nil unless it is a number from 0 to 10,000.
  static func share(ofPercent text: String) -> Double? {
    let digits = text.hasSuffix("%") ? String(text.dropLast()) : text
    let number = digits.hasSuffix(" ") ? String(digits.dropLast()) : digits
    guard let percent = RuleMetric.number(number), percent <= 10_000 else { return nil }
    return percent / 100
  }

  static func note(_ rows: [SummaryRow]) -> String? {
    let names = Set(rows.filter(\.countsVary).map(\.cell.backend.id)).sorted()
    guard !names.isEmpty else { return nil }
    let (verb, whose) = names.count == 1 ? ("says", "its") : ("say", "their")
    return "\(names.joined(separator: ", ")) \(verb) that \(whose) counts do not repeat exactly: "
      + "up to \(Int(100 * Measure.varyingTolerance)) % more or less counts as the same."
  }
}

extension Cost {
  /// Returns the name of a count that is 0 but cannot be, such as `syncs`. `level` is nil if nothing is saved. At all
  /// levels except `volatile`, a save must write; at `intact` and `durable`, a save must also sync.
  func impossibleZero(at level: Level?) -> String? {
    if countedOperations <= 0 { return "ops" }
    guard let level, level > .volatile, (bytesChanged ?? 0) > 0 else { return nil }
    if bytesWrittenSettled == 0 { return "bytes" }
    // Writes through a memory mapping make no calls, and their bytes are unknown (nil).
    if bytesWrittenSettled != nil, writeCalls == 0 { return "writes" }
    return level >= .intact && syncsSettled == 0 ? "syncs" : nil
  }
}

extension Measure {
  /// Returns the change of this count; nil unless both sides have it.
  func change(from old: Cost, to new: Cost, tolerance: Double) -> CountChange? {
    guard let base = old[keyPath: path], let head = new[keyPath: path] else { return nil }
    return CountChange(
      metric: name, unit: comparedUnit, operations: old.countedOperations, base: base, head: head,
      tolerance: tolerance)
  }

  func isOneSided(_ old: Cost, _ new: Cost) -> Bool { (old[keyPath: path] == nil) != (new[keyPath: path] == nil) }
}
