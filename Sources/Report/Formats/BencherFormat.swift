import Foundation
import StorageRunFiles

/// `bencher.json`: Bencher Metric Format, figures by benchmark and measure, for `bencher run --adapter json`.
///
/// `latency` is the median in nanoseconds with its interval, `throughput` operations per second; counts are per
/// operation, under measures of their own.
public struct BencherFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "bencher"
  /// `bencher.json`.
  public let fileNames = ["bencher.json"]

  /// Creates the format.
  public init() {}

  private struct Metric: Encodable {
    var value: Double
    var lowerValue: Double?
    var upperValue: Double?
  }

  /// The file's text.
  public func text(_ page: Page) throws -> String {
    let model = page.model
    var benchmarks: [String: [String: Metric]] = [:]
    for row in model.rows where row.status == .ok {
      var measures: [String: Metric] = [:]
      if let time = row.typicalTime {
        measures["latency"] = Metric(
          value: time, lowerValue: row.p50Interval?.low, upperValue: row.p50Interval?.high)
      }
      if let rate = row.operationsPerSecond { measures["throughput"] = Metric(value: rate) }
      let counts: [(String, KeyPath<Cost, Int?>)] = [
        ("bytes_written_settled", \.bytesWrittenSettled), ("write_calls", \.writeCalls),
        ("syncs_settled", \.syncsSettled), ("allocations", \.allocations),
      ]
      for (name, path) in counts {
        if let count = row.perOperation(path) { measures["\(name)-per-operation"] = Metric(value: count) }
      }
      if !measures.isEmpty { benchmarks[row.cell.name] = measures }
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(benchmarks), as: UTF8.self) + "\n"
  }
}
