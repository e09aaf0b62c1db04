import Foundation

/// `bencher.json`: Bencher Metric Format, figures by benchmark and measure, for `bencher run --adapter json`. Of a
/// comparison it has the head's.
///
/// `latency` is the median in nanoseconds with its interval, `throughput` operations per second; counts are per
/// operation, under measures of their own.
public struct BencherFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "bencher"

  /// Creates the format.
  public init() {}

  private struct Metric: Encodable {
    var value: Double
    var lowerValue: Double?
    var upperValue: Double?
  }

  /// One file.
  public func files(_ report: any Report) throws -> [(name: String, text: String)] {
    var benchmarks: [String: [String: Metric]] = [:]
    for benchmark in report.benchmarks.last?.benchmarks ?? [] {
      var measures: [String: Metric] = [:]
      if let latency = benchmark.latency {
        measures["latency"] = Metric(
          value: latency, lowerValue: benchmark.interval?.low, upperValue: benchmark.interval?.high)
      }
      if let rate = benchmark.throughput { measures["throughput"] = Metric(value: rate) }
      for count in benchmark.counts { measures["\(count.name)-per-operation"] = Metric(value: count.value) }
      if !measures.isEmpty { benchmarks[benchmark.name] = measures }
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return [("bencher.json", String(decoding: try encoder.encode(benchmarks), as: UTF8.self) + "\n")]
  }
}
