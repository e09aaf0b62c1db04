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

/// Go's benchmark format, for `benchstat`: `benchstat.txt` of a run, `base.benchstat.txt` and `head.benchstat.txt` of a
/// comparison.
///
/// One line per process, so that benchstat sees the replicates and judges by its own rules; counts, which are the same
/// in every process, stand on each line, or on one of their own where nothing was timed. The format is specified at
/// https://go.dev/design/14313-benchmark-format.
public struct BenchstatFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "benchstat"

  /// Creates the format.
  public init() {}

  /// A file for each side.
  public func files(_ report: any Report) -> [(name: String, text: String)] {
    report.benchmarks.map { set in (set.side.map { "\($0).benchstat.txt" } ?? "benchstat.txt", Self.text(set)) }
  }

  private static func text(_ set: BenchmarkSet) -> String {
    var lines = ["tool: storage-bench"] + set.configuration.map { "\($0.key): \(value($0.value))" }
    for benchmark in set.benchmarks {
      let counts = benchmark.counts.map { "\(number($0.value)) \(unit($0))" }
      let times = benchmark.times.map { ["\(number($0)) ns/op"] + counts }
      for measured in times.isEmpty && !counts.isEmpty ? [counts] : times {
        // Go's counter of iterations must be positive.
        let operations = String(max(1, benchmark.operations))
        lines.append(([name(benchmark.name), operations] + measured).joined(separator: "\t"))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// `BenchmarkSqlite/save-one/100/shipped`: a name begins with `Benchmark`, then no lower-case letter, and holds no
  /// space; its parts `key=value` are what benchstat groups by.
  static func name(_ cell: String) -> String {
    let text = cell.map { $0.isWhitespace ? "_" : $0 }
    return "Benchmark" + (text.first.map { $0.uppercased() } ?? "") + String(text.dropFirst())
  }

  /// A number as Go reads it, with all of its digits: small changes of a count are changes.
  private static func number(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
  }

  /// Go's own names where it has them, so that its tools know what they are.
  private static func unit(_ count: BenchmarkSet.Count) -> String {
    switch count.name {
    case "allocations": "allocs/op"
    case "allocated_bytes": "B/op"
    default: count.unit == "B" ? "\(count.name)-B/op" : "\(count.name)/op"
    }
  }

  /// A configuration's value ends with its line.
  private static func value(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }
}
