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
  public func files(_ report: any Report) -> [TextFile] {
    [TextFile("bencher.json") { try Self.write(report.benchmarks.last?.benchmarks ?? [], to: $0) }]
  }

  /// By the first name, which is that of a cell, and the measures that follow it.
  public func recognizes(_ head: String) -> Bool {
    let lines = head.split(separator: "\n", maxSplits: 3)
    guard lines.count > 2, lines[0] == "{", let name = lines[1].firstMatch(of: /^  "(.+)" : \{$/)?.output.1 else {
      // Of rules, which measure nothing, it has no member.
      return lines == ["{", "}"]
    }
    let parts = name.split(separator: "/")
    return parts.count >= 4 && Int(parts[2]) != nil && lines[2].hasPrefix("    \"")
  }

  private static func write(_ benchmarks: [BenchmarkSet.Benchmark], to append: @escaping TextFile.Append) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    var object = try JSONPieces(encoder, to: append)
    for benchmark in benchmarks.sorted(by: { $0.name < $1.name }) {
      let measures = measures(benchmark)
      if !measures.isEmpty { try object.member(benchmark.name, measures) }
    }
    try object.end()
    try append("\n")
  }

  private static func measures(_ benchmark: BenchmarkSet.Benchmark) -> [String: Metric] {
    var measures: [String: Metric] = [:]
    if let latency = benchmark.latency {
      measures["latency"] = Metric(
        value: latency, lowerValue: benchmark.interval?.low, upperValue: benchmark.interval?.high)
    }
    if let rate = benchmark.throughput { measures["throughput"] = Metric(value: rate) }
    for count in benchmark.counts { measures["\(count.name)-per-operation"] = Metric(value: count.value) }
    return measures
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
  public func files(_ report: any Report) -> [TextFile] {
    report.benchmarks.map { set in
      TextFile(set.side.map { "\($0).benchstat.txt" } ?? "benchstat.txt") { try Self.write(set, to: $0) }
    }
  }

  /// By the first line.
  public func recognizes(_ head: String) -> Bool { head.hasPrefix("tool: storage-bench\n") }

  private static func write(_ set: BenchmarkSet, to append: TextFile.Append) throws {
    try append("tool: storage-bench\n")
    for (key, value) in set.configuration { try append("\(key): \(Self.value(value))\n") }
    for benchmark in set.benchmarks {
      let counts = benchmark.counts.map { "\(number($0.value)) \(unit($0))" }
      let times = benchmark.times.map { ["\(number($0)) ns/op"] + counts }
      for measured in times.isEmpty && !counts.isEmpty ? [counts] : times {
        // Go's counter of iterations must be positive.
        let operations = String(max(1, benchmark.operations))
        try append(([name(benchmark.name), operations] + measured).joined(separator: "\t") + "\n")
      }
    }
  }

  /// `BenchmarkSqlite/save-one/100/shipped`: a name begins with `Benchmark`, then no lower-case letter, and holds no
  /// space; its parts `key=value` are what benchstat groups by.
  static func name(_ cell: String) -> String {
    let text = cell.visible.map { $0.isWhitespace ? "_" : $0 }
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
  private static func value(_ text: String) -> String { text.visible }
}
