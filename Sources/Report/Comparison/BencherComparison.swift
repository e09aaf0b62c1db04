import Foundation
import StorageStatistics

/// `bencher.json`: Bencher Metric Format, the head's figures by benchmark and measure, for `bencher run --adapter json`.
///
/// `latency` is in nanoseconds, the lower and upper values being those of the interval of the processes' medians;
/// counts are per operation, under measures of their own.
public struct BencherComparison: ComparisonFormat {
  /// What stands after `-f`.
  public let id = "bencher"
  /// A file.
  public let destination = ComparisonDestination.files

  /// Creates the format.
  public init() {}

  private struct Metric: Encodable {
    var value: Double
    var lower: Double?
    var upper: Double?

    enum CodingKeys: String, CodingKey {
      case value
      case lower = "lower_value"
      case upper = "upper_value"
    }
  }

  /// `bencher.json`.
  public func files(_ comparison: Comparison) throws -> [(name: String, text: String)] {
    var benchmarks: [String: [String: Metric]] = [:]
    for judgement in comparison.judgements {
      var measures: [String: Metric] = [:]
      if let time = judgement.time {
        let interval = MedianInterval(of: time.headProcesses.sorted())
        measures["latency"] = Metric(value: time.head, lower: interval?.low, upper: interval?.high)
      }
      for change in judgement.counts {
        measures["\(change.metric)-per-operation"] = Metric(
          value: Double(change.head) / Double(max(1, change.operations)))
      }
      if !measures.isEmpty { benchmarks[judgement.name] = measures }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return [("bencher.json", String(decoding: try encoder.encode(benchmarks), as: UTF8.self) + "\n")]
  }
}
