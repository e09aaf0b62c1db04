import Foundation
import FoundationXML
@testable import TestSupport
import StorageContract
import StorageReport
import StorageStatistics
import Testing

@Suite struct ComparisonTests {
  private let sample = SampleComparison.value

  private func text(_ id: String, _ comparison: Comparison = SampleComparison.value) throws -> String {
    try (ReportFormats.named([id])[0] as! any TextFormat).files(comparison).map { try $0.text() }
      .joined(separator: "----\n")
  }

  @Test(arguments: ["markdown", "json", "junit", "benchstat", "bencher", "github-annotations"])
  func `every format is as it was recorded`(id: String) throws {
    try expectGolden(text(id), "comparison.\(id).txt")
  }

  @Test func `so is the terminal`() throws {
    try expectGolden(TerminalWriter.text(sample.document), "comparison.terminal.txt")
  }

  @Test func `no line of the terminal is too wide`() {
    for line in TerminalWriter.text(sample.document).split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
  }

  @Test func `the headline counts every verdict once`() {
    // A headline that is too wide goes on in an indented line.
    let lines = TerminalWriter.text(sample.document).split(separator: "\n", omittingEmptySubsequences: false)
    // The answer comes last.
    let last = lines.dropLast().split(separator: "").last ?? []
    let headline = last.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    #expect(
      headline.hasPrefix(
        "1 of 9 cells failed, 1 slower (confirmed), 1 regressed, 1 not judged, 1 faster (confirmed), "
          + "1 improved, 2 the same, 1 n/a. Base: "))
  }

  @Test func `JSON is read back as it was written`() throws {
    let decoded = try JSONDecoder().decode(Comparison.self, from: Data(text("json").utf8))
    #expect(decoded == sample)
  }

  @Test func `counts are judged exactly unless they may grow`() {
    func verdict(_ base: Int, _ head: Int, _ tolerance: Double) -> ChangeVerdict {
      CountChange(metric: "m", unit: "calls", operations: 1, base: base, head: head, tolerance: tolerance).verdict
    }
    #expect(verdict(1_000_000_000, 1_000_000_001, 0) == .more)
    #expect(verdict(1_000_000_000, 999_999_999, 0) == .fewer)
    #expect(verdict(0, 0, 0) == .same)
    // One or two are no change where a count need not be exact.
    #expect(verdict(0, 2, 0.5) == .same)
    #expect(verdict(0, 3, 0.5) == .more)
    #expect(verdict(100, 105, 0.05) == .same)
    #expect(verdict(100, 106, 0.05) == .more)
  }

  @Test(arguments: [
    (1.214, "+21 %"), (1.05, "+5.0 %"), (1, "+0.0 %"), (0.95, "-5.0 %"), (0.5, "/2.0"), (2.5, "x2.5"), (17.3, "x17"),
  ])
  func `changes are told in per cent, and in factors from two on`(ratio: Double, text: String) {
    #expect(NumberFormat.change(ratio) == text)
  }

  @Test func `what is the same says how small a change would have been found`() throws {
    let sentence = "In the 2 cells that are the same a change of 5.2 % to 12 % or more would have been found."
    for id in ["markdown", "junit", "github-annotations"] {
      #expect(try text(id).replacing("%25", with: "%").contains(sentence), "\(id)")
    }
    let terminal = TerminalWriter.text(sample.document)
    #expect(terminal.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(sentence))
    #expect(terminal.contains("same (from 5.2 %)"))
    #expect(try text("junit").contains("a change of 12 % or more would have been found"))
    #expect(try text("markdown").contains("| 12 % |"))
    #expect(try text("json").contains("\"smallestDetectable\" : 0.0521"))
  }

  @Test func `a ratio that the shown times do not give says that pairs do`() throws {
    // 4.1 and 5.0 us give +22 %.
    #expect(TerminalWriter.text(sample.document).contains("+21 % by 12 pairs (+18 to +24 %), p50 4.1 us -> 5.0 us"))
    #expect(try text("github-annotations").contains("by 12 pairs"))
    #expect(try text("markdown").contains("| by pairs | interval |"))
    // Where nothing was paired the ratio is that of the times.
    var runs = sample
    runs.subject = .runs
    runs.judgements = [
      Judgement(
        name: "a", verdict: .same, time: TimeChange(base: 1_000, head: 1_500, ratio: 1.5, margin: 0.05))
    ]
    #expect(!TerminalWriter.text(runs.document).contains("by pairs"))
  }

  @Test func `an unfit machine says what is still judged`() throws {
    var unfit = sample
    unfit.method?.unfit = "an integer loop scatters"
    unfit.method?.bound = 3.3
    for (id, isBold) in [("markdown", true), ("github-annotations", false)] {
      let text = try text(id, unfit)
      #expect(text.contains("an integer loop scatters. Only changes whose whole interval lies beyond 3.3x are judged"))
      #expect(text.contains("**The machine was not quiet") == isBold)
    }
    unfit.method?.bound = nil
    #expect(TerminalWriter.text(unfit.document).contains("No time is judged."))
  }

  // MARK: - Readers of their own

  @Test func `a long comparison still fits into a comment`() throws {
    var long = sample
    long.judgements = (0..<3_000).map {
      Judgement(name: "sqlite/save-one/\($0)/shipped", verdict: .unmeasurable, note: String(repeating: "x", count: 80))
    }
    #expect(try text("markdown", long).count <= 65_000)
  }

  /// What the elements of a JUnit file may hold, by the schema that Jenkins publishes (jenkinsci/xunit-plugin,
  /// junit-10.xsd): names of attributes and children.
  private final class JUnitReader: NSObject, XMLParserDelegate {
    static let attributes: [String: Set<String>] = [
      "testsuites": ["name", "time", "tests", "failures", "errors"],
      "testsuite": [
        "name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package",
        "file", "log", "url",
      ],
      "testcase": ["name", "time", "classname", "group"], "failure": ["type", "message"],
      "error": ["type", "message"], "skipped": ["type", "message"], "system-out": [],
    ]
    static let required: [String: Set<String>] = [
      "testsuite": ["name", "tests", "failures", "errors"], "testcase": ["name"],
    ]
    static let children: [String: Set<String>] = [
      "": ["testsuites"], "testsuites": ["testsuite"], "testsuite": ["testcase", "system-out"],
      "testcase": ["failure", "error", "skipped", "system-out"],
    ]
    var open: [String] = [""]
    var faults: [String] = []
    var outcomes: [String: String] = [:]
    var messages: [String: String] = [:]
    var suite: [String: String] = [:]
    private var name = ""

    func parser(
      _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      if Self.children[open.last ?? ""]?.contains(element) != true { faults.append("\(element) in \(open.last ?? "")") }
      let names = Set(attributes.keys)
      faults += names.subtracting(Self.attributes[element] ?? []).map { "\(element) has \($0)" }
      faults += (Self.required[element] ?? []).subtracting(names).map { "\(element) lacks \($0)" }
      switch element {
      case "testsuite": suite = attributes
      case "testcase":
        name = attributes["name"] ?? ""
        outcomes[name] = "passed"
      case "failure", "error", "skipped":
        outcomes[name] = element
        messages[name] = attributes["message"]
      default: break
      }
      open.append(element)
    }

    func parser(
      _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
      open.removeLast()
    }
  }

  @Test func `JUnit holds what its schema allows, and every outcome`() throws {
    let parser = XMLParser(data: Data(try text("junit").utf8))
    let reader = JUnitReader()
    parser.delegate = reader
    #expect(parser.parse())
    #expect(reader.faults.isEmpty, "\(reader.faults)")
    #expect(reader.outcomes.count == 9)
    #expect(reader.outcomes["sqlite/read-one/1000/-"] == "failure")
    #expect(reader.outcomes["plist/save-one/1000/durable"] == "failure")
    #expect(reader.outcomes["lmdb/save-one/1000/shipped"] == "error")
    #expect(reader.outcomes["archive/save-one/1000/shipped"] == "skipped")
    #expect(reader.outcomes["defaults/save-one/1000/durable"] == "skipped")
    #expect(reader.outcomes["memory/read-one/1000/-"] == "passed")
    #expect(reader.messages["archive/save-one/1000/shipped"]?.contains("too much <&\">") == true)
    #expect(
      ["tests", "failures", "errors", "skipped"].map { reader.suite[$0] } == ["9", "2", "1", "2"])
  }

  /// Go's benchmark format, read by its specification: lines `key: value` set the configuration; a result is a name
  /// that begins with `Benchmark` and then no lower-case letter, a count of iterations, and pairs of value and unit.
  private func benchmarks(_ text: String) throws -> (
    configuration: [String: String], results: [(name: String, values: [String: Double])]
  ) {
    var configuration: [String: String] = [:]
    var results: [(name: String, values: [String: Double])] = []
    for line in text.split(separator: "\n") {
      if let match = line.wholeMatch(of: /([a-z][^A-Z\s:]*):[ \t]+(.*)/) {
        configuration[String(match.1)] = String(match.2)
        continue
      }
      let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
      try #require(fields.count >= 4 && fields.count.isMultiple(of: 2), "\(line)")
      try #require(fields[0].hasPrefix("Benchmark"), "\(line)")
      let first = try #require(fields[0].dropFirst("Benchmark".count).first)
      try #require(!first.isLowercase, "\(line)")
      try #require((Int(fields[1]) ?? 0) > 0, "\(line)")
      var values: [String: Double] = [:]
      for index in stride(from: 2, to: fields.count, by: 2) {
        values[fields[index + 1]] = try #require(Double(fields[index]) as Double?, "\(line)")
      }
      results.append((fields[0], values))
    }
    return (configuration, results)
  }

  @Test func `benchstat's format is read by a parser made from its specification`() throws {
    let files = try BenchstatFormat().files(sample)
    #expect(files.map(\.name) == ["base.benchstat.txt", "head.benchstat.txt"])
    let (base, head) = try (benchmarks(files[0].text()), benchmarks(files[1].text()))
    #expect(base.configuration["compared"] == "old/storage-bench")
    #expect(head.configuration["machine"] == "0a1b2c3d")
    let read = { (side: [(name: String, values: [String: Double])], name: String) in
      side.filter { $0.name == name }.map(\.values)
    }
    #expect(read(base.results, "BenchmarkSqlite/read-one/1000/-").count == 6)
    #expect(read(base.results, "BenchmarkSqlite/read-one/1000/-")[1] == ["ns/op": 4_100.5])
    #expect(read(head.results, "BenchmarkSqlite/read-one/1000/-").compactMap { $0["ns/op"] }.max() == 5_010)
    #expect(read(head.results, "BenchmarkPlist/save-one/1000/durable") == [["bytes-B/op": 100, "syncs/op": 3]])
    #expect(Set(base.results.map(\.name)) == Set(head.results.map(\.name)))
  }

  @Test func `Bencher's format is benchmarks of measures of values`() throws {
    struct Metric: Decodable {
      var value: Double
      var lower: Double?
      var upper: Double?

      enum CodingKeys: String, CodingKey {
        case value
        case lower = "lower_value"
        case upper = "upper_value"
      }
    }
    let read = try JSONDecoder().decode([String: [String: Metric]].self, from: Data(text("bencher").utf8))
    let latency = try #require(read["sqlite/read-one/1000/-"]?["latency"])
    #expect(latency.value == 5_000)
    #expect((latency.lower ?? 0) <= latency.value && latency.value <= (latency.upper ?? 0))
    #expect(read["plist/save-one/1000/durable"]?["syncs-per-operation"]?.value == 3)
    #expect(read["lmdb/save-one/1000/shipped"] == nil)
  }

  @Test func `annotations are workflow commands, one a line`() throws {
    let lines = try text("github-annotations").split(separator: "\n")
    #expect(lines.count == 8)
    for line in lines {
      #expect(line.wholeMatch(of: /::(error|warning|notice) title=[^:,]*::.*/) != nil, "\(line)")
    }
    #expect(lines.count { $0.hasPrefix("::error ") } == 3)
    // A per cent sign would be taken for an escape.
    #expect(lines.allSatisfy { $0.replacing("%25", with: "").replacing("%3A", with: "").contains("%") == false })
  }
}
