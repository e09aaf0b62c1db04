import Foundation
import StorageRunFiles

/// The format of `bencher.json` (Bencher Metric Format) for the benchmark tracker Bencher:
/// `bencher run --adapter json`.
///
/// The file has median latencies in nanoseconds, throughputs in operations per second, and counts per operation. For a
/// mix of operations, the latency is the inverse of the throughput. For a comparison, the file has the results of the
/// newer build.
public struct BencherFormat: TextFormat {
  /// The name by which the command-line option `-f` selects this format.
  public let id = "bencher"

  /// Creates the format of `bencher.json`, which has no settings.
  public init() {}

  private struct Metric: Encodable {
    var value: Double
    var lowerValue: Double?
    var upperValue: Double?
  }

  /// Returns the file `bencher.json` with the measurements of a report.
  public func files(_ report: any Report) -> [TextFile] {
    [TextFile("bencher.json") { try Self.write(report.benchmarks.last?.benchmarks ?? [], to: $0) }]
  }

  /// Returns whether `head` is the beginning of a `bencher.json` that this program wrote.
  public func recognizes(_ head: String) -> Bool {
    let lines = head.split(separator: "\n", maxSplits: 3)
    guard lines.count > 2, lines[0] == "{", let name = lines[1].firstMatch(of: /^  "(.+)" : \{$/)?.output.1 else {
      // Without benchmarks, the file is an empty JSON object.
      return lines == ["{", "}"]
    }
    let parts = name.split(separator: "/")
    return parts.count >= 4 && Int(parts[2]) != nil && lines[2].hasPrefix("    \"")
  }

  private static func write(_ benchmarks: [BenchmarkSet.Benchmark], to append: @escaping TextFile.Append) throws {
    let encoder = JSONEncoder.pretty
    encoder.keyEncodingStrategy = .convertToSnakeCase
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

/// The format of Go benchmarks, which the tool `benchstat` reads.
///
/// A benchmark has one line for each measuring process. Every line repeats the benchmark's counts, such as bytes
/// written per operation. A benchmark that was not timed has one line. The format is specified at
/// https://go.dev/design/14313-benchmark-format.
public struct BenchstatFormat: TextFormat {
  /// The name by which the command-line option `-f` selects this format.
  public let id = "benchstat"

  /// Creates the format for `benchstat`, which has no settings.
  public init() {}

  /// Returns the file `benchstat.txt` for a run, or `base.benchstat.txt` and `head.benchstat.txt` for a comparison.
  public func files(_ report: any Report) -> [TextFile] {
    report.benchmarks.map { set in
      TextFile(set.side.map { "\($0).benchstat.txt" } ?? "benchstat.txt") { try Self.write(set, to: $0) }
    }
  }

  /// Returns whether `head` is the beginning of a file that this program wrote for `benchstat`.
  public func recognizes(_ head: String) -> Bool { head.hasPrefix("tool: storage-bench\n") }

  private static func write(_ set: BenchmarkSet, to append: TextFile.Append) throws {
    try append("tool: storage-bench\n")
    for (key, value) in set.configuration { try append("\(key): \(Self.value(value))\n") }
    for benchmark in set.benchmarks {
      let counts = benchmark.counts.map { "\(number($0.value)) \(unit($0))" }
      let times = benchmark.times.map { ["\(number($0)) ns/op"] + counts }
      for measured in times.isEmpty && !counts.isEmpty ? [counts] : times {
        // The number of iterations of a Go benchmark must be positive.
        let operations = String(max(1, benchmark.operations))
        try append(([name(benchmark.name), operations] + measured).joined(separator: "\t") + "\n")
      }
    }
  }

  /// Returns the name of a benchmark in the form that Go requires: `BenchmarkSqlite/save-one/100/shipped`. Go allows no
  /// spaces, and no lower-case letter directly after `Benchmark`.
  static func name(_ cell: String) -> String {
    let text = cell.visible.map { $0.isWhitespace ? "_" : $0 }
    return "Benchmark" + (text.first.map { $0.uppercased() } ?? "") + String(text.dropFirst())
  }

  /// Returns a number as text with all its digits, because small changes of a count matter.
  private static func number(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
  }

  private static func unit(_ count: BenchmarkSet.Count) -> String {
    switch count.name {
    case "allocations": "allocs/op"
    case "allocated_bytes": "B/op"
    default: count.unit == "B" ? "\(count.name)-B/op" : "\(count.name)/op"
    }
  }

  private static func value(_ text: String) -> String { text.visible }
}
