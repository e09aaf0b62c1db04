import Foundation
import StorageRunFiles

extension ReportFormat {
  /// The Bencher Metric Format, `bencher.json`, for `bencher run --adapter json`. Latencies are in nanoseconds,
  /// throughputs in operations per second. Of a comparison, only the new side is written.
  public static let bencher = ReportFormat(
    id: "bencher",
    files: { report in
      [TextFile(name: "bencher.json") { try write(report.benchmarks.last?.benchmarks ?? [], to: $0) }]
    },
    recognizes: { head in
      let lines = head.split(separator: "\n", maxSplits: 3)
      guard lines.count > 2, lines[0] == "{", let name = lines[1].firstMatch(of: /^  "(.+)" : \{$/)?.output.1 else {
        // Without benchmarks, the file is an empty JSON object.
        return lines == ["{", "}"]
      }
      let parts = name.split(separator: "/")
      return parts.count >= 4 && Int(parts[2]) != nil && lines[2].hasPrefix("    \"")
    })

  private struct Metric: Encodable {
    var value: Double
    var lowerValue: Double?
    var upperValue: Double?
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
    measures["latency"] = benchmark.latency.map {
      Metric(value: $0, lowerValue: benchmark.interval?.low, upperValue: benchmark.interval?.high)
    }
    measures["throughput"] = benchmark.throughput.map { Metric(value: $0) }
    for count in benchmark.counts { measures["\(count.name)-per-operation"] = Metric(value: count.value) }
    return measures
  }

  /// The format of Go benchmarks, for the tool `benchstat`. The specification is
  /// https://go.dev/design/14313-benchmark-format.
  public static let benchstat = ReportFormat(
    id: "benchstat",
    files: { report in
      report.benchmarks.map { set in
        TextFile(name: set.side.map { "\($0).benchstat.txt" } ?? "benchstat.txt") { try write(set, to: $0) }
      }
    },
    recognizes: { $0.hasPrefix("tool: storage-bench\n") })

  private static func write(_ set: BenchmarkSet, to append: TextFile.Append) throws {
    try append("tool: storage-bench\n")
    for (key, value) in set.configuration { try append("\(key): \(value.visible)\n") }
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

  /// Returns a benchmark's name in the form of Go benchmarks, without spaces: `BenchmarkSqlite/save-one/100/shipped`.
  private static func name(_ cell: String) -> String {
    let text = cell.visible.map { $0.isWhitespace ? "_" : $0 }
    return "Benchmark" + (text.first.map { $0.uppercased() } ?? "") + String(text.dropFirst())
  }

  /// Returns a number as text with all its digits, because rounding would hide small changes.
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
}
