import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

struct RuleMetric: Sendable {
  enum Unit: Sendable {
    case time
    case bytes
    case number
  }

  /// The source of a metric's values: the times of the measuring processes, or quantities such as the number of syncs.
  enum Source: Sendable {
    /// A metric that is computed from the operation times of one process, such as a percentile.
    case processes(@Sendable (Timing) -> Double?)
    /// A metric that is computed from counts, such as the syncs of an operation or the size of the store's files.
    case counts(@Sendable (SummaryRow) -> Double?)
  }

  let name: String
  let unit: Unit
  let source: Source
  /// Whether only workloads that save have this metric.
  var isOfSaves = false

  var isTimed: Bool { if case .processes = source { true } else { false } }

  static let all: [RuleMetric] =
    times + counts + [
      RuleMetric(name: "amplification", unit: .number, source: .counts { $0.cost?.amplification }, isOfSaves: true),
      RuleMetric(name: "rewrite_share", unit: .number, source: .counts { $0.cost?.rewriteShare }, isOfSaves: true),
    ]

  /// Returns the names of columns of `summary.csv`, separated by commas.
  ///
  /// - Parameter extent: The kind of numbers in the columns, such as totals over all operations.
  static func names(of extent: Measure.Extent) -> String {
    Measure.reported.filter { $0.extent == extent }.map(\.column).joined(separator: ", ")
  }

  private static let times: [RuleMetric] = [
    RuleMetric(name: "p50", unit: .time, source: .processes { $0.typical }),
    RuleMetric(name: "p90", unit: .time, source: .processes { $0.percentile(0.9, fewest: 10) }),
    RuleMetric(name: "p99", unit: .time, source: .processes { $0.percentile(0.99, fewest: 100) }),
    RuleMetric(name: "p999", unit: .time, source: .processes { $0.percentile(0.999, fewest: 1_000) }),
    RuleMetric(name: "max", unit: .time, source: .processes { $0.max.map { Double($0) } }),
    RuleMetric(
      name: "ops", unit: .number,
      source: .processes { $0.elapsed > 0 ? Double($0.operations) / Double($0.elapsed) * 1e9 : nil }),
    RuleMetric(
      name: "cpu", unit: .time,
      source: .processes { $0.operations > 0 ? Double($0.cpu) / Double($0.operations) : nil }),
  ]

  private static let counts: [RuleMetric] = Measure.reported.map { measure in
    RuleMetric(
      name: measure.column, unit: measure.unit == .bytes ? .bytes : .number,
      source: .counts { row in
        measure.extent == .operations
          ? row.perOperation(measure.path) : row.cost?[keyPath: measure.path].map { Double($0) }
      })
  }

  /// Parses a limit such as `5ms` or `64KiB` into nanoseconds, bytes or a plain number; nil if the text is invalid.
  func value(_ text: String) -> Double? {
    switch unit {
    case .time: Quantity.nanoseconds(text).map { Double($0) }
    case .bytes, .number: Self.number(text) ?? Quantity.bytes(text).map { Double($0) }
    }
  }

  /// Parses a plain decimal number; nil for "inf", "nan" and hexadecimal numbers.
  static func number(_ text: String) -> Double? {
    guard !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
    return Double(text)
  }

  func text(_ value: Double) -> String {
    switch unit {
    case .time: NumberFormat.time(value)
    case .bytes: NumberFormat.bytes(value)
    case .number: NumberFormat.plain(value)
    }
  }

  var example: String {
    switch unit {
    case .time: "5ms"
    case .bytes: "64KiB"
    case .number: "2"
    }
  }
}

extension Timing {
  /// Returns a percentile of the operation times in nanoseconds: `share` 0.99 is the 99th. Nil if fewer than `fewest`
  /// operations were timed one by one.
  func percentile(_ share: Double, fewest: UInt64) -> Double? {
    guard let text = histogram, let buckets = HistogramText(text: text)?.buckets else { return nil }
    var merged = SparseHistogram()
    merged.merge(buckets)
    return merged.total < fewest ? nil : merged.percentile(share).map { Double($0) }
  }
}
