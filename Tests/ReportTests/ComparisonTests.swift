import Foundation
import FoundationXML
@testable import TestSupport
import StorageReport
import StorageStatistics
import Testing

@Suite struct ComparisonTests {
  private let sample = SampleComparison.value

  private func text(_ id: String, _ comparison: Comparison = SampleComparison.value) throws -> String {
    try ReportFormats.named([id])[0].files!(comparison).map { try $0.text() }
      .joined(separator: "----\n")
  }

  @Test(arguments: ["markdown", "json", "junit", "benchstat", "bencher", "github-annotations"])
  func `every format is as it was recorded`(id: String) throws { try expectGolden(text(id), "comparison.\(id).txt") }

  @Test func `the terminal is as it was recorded, and no line is too wide`() throws {
    let text = TerminalWriter.text(sample.document)
    for line in text.split(separator: "\n") { #expect(line.count <= TerminalWriter.width, "\(line)") }
    try expectGolden(text, "comparison.terminal.txt")
  }

  @Test func `JSON is read back as it was written`() throws {
    let decoded = try JSONDecoder().decode(Comparison.self, from: Data(text("json").utf8))
    #expect(decoded == sample)
  }

  @Test(arguments: [
    (1.214, "+21 %"), (1.05, "+5.0 %"), (1, "+0.0 %"), (0.95, "-5.0 %"), (0.5, "2.0 times as fast"),
    (0.1923, "5.2 times as fast"), (2.5, "2.5 times as long"), (17.3, "17 times as long"),
  ])
  func `changes of times are told in per cent, and in factors from two on`(ratio: Double, text: String) {
    #expect(NumberFormat.change(ratio) == text)
  }

  @Test(arguments: [
    (1.18, 1.24, "+18 to +24 %"), (2.3, 2.75, "2.3 to 2.8"), (0.185, 0.2, "5.0 to 5.4"), (0.45, 0.6, "-55 to -40 %"),
    (1.9, 12, "+90 to +1100 %"),
  ])
  func `both ends of an interval are told alike`(low: Double, high: Double, text: String) {
    #expect(NumberFormat.change(low, high) == text)
  }

  @Test(arguments: [(0.8, "-20 %"), (0.2, "-80 %"), (2.5, "2.5 times as many"), (1.00001, "+<0.1 %")])
  func `changes of counts are told in per cent below twice as many`(ratio: Double, text: String) {
    #expect(NumberFormat.countChange(ratio) == text)
  }

  @Test func `ratios of runs are those of their times, not of pairs`() {
    var runs = sample
    runs.subject = .runs
    runs.judgements = [
      Judgement(name: "a", verdict: .same, time: TimeChange(base: 1_000, head: 1_500, ratio: 1.5, margin: 0.05))
    ]
    let text = TerminalWriter.text(runs.document)
    #expect(!text.contains("by pairs"))
    #expect(
      text.contains("1 of 1 cell with equal counts.") && text.contains("Largest difference between times: +50 %, in a.")
    )
  }

  @Test func `an unfit machine says what is still judged`() throws {
    var unfit = sample
    unfit.method?.unfit = "an integer loop scatters"
    unfit.method?.bound = 3.3
    for (id, isBold) in [("markdown", true), ("github-annotations", false)] {
      let text = try text(id, unfit)
      #expect(text.contains("an integer loop scatters. Only changes whose whole interval lies beyond 3.3× are judged"))
      #expect(text.contains("**The machine was not quiet") == isBold)
    }
    unfit.method?.bound = nil
    #expect(TerminalWriter.text(unfit.document).contains("No time is judged."))
  }

  /// The schema that Jenkins publishes (jenkinsci/xunit-plugin, junit-10.xsd): by element the parents and attributes.
  private static let junitSchema: [String: (parents: Set<String>, attributes: Set<String>)] = [
    "testsuites": ([""], ["name", "time", "tests", "failures", "errors"]),
    "testsuite": (
      ["testsuites"],
      [
        "name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package",
        "file", "log", "url",
      ]
    ),
    "testcase": (["testsuite"], ["name", "time", "classname", "group"]),
    "failure": (["testcase"], ["type", "message"]), "error": (["testcase"], ["type", "message"]),
    "skipped": (["testcase"], ["type", "message"]), "system-out": (["testsuite", "testcase"], []),
  ]

  @Test func `JUnit holds only elements and attributes of its schema`() throws {
    let document = try XMLDocument(data: Data(text("junit").utf8))
    let elements = try document.nodes(forXPath: "//*").compactMap { $0 as? XMLElement }
    #expect(elements.count { $0.name == "testcase" } == 9)
    for element in elements {
      let allowed = try #require(Self.junitSchema[element.name ?? ""], "\(element)")
      #expect(allowed.parents.contains((element.parent as? XMLElement)?.name ?? ""), "\(element)")
      #expect(allowed.attributes.isSuperset(of: (element.attributes ?? []).compactMap(\.name)), "\(element)")
    }
  }

  /// Go's benchmark format: lines `key: value`, and results that are a name beginning with `Benchmark` and then no
  /// lower-case letter, a count of iterations, and pairs of value and unit.
  @Test func `benchstat's files hold only lines of its format`() throws {
    let files = try ReportFormat.benchstat.files!(sample)
    #expect(files.map(\.name) == ["base.benchstat.txt", "head.benchstat.txt"])
    let result = /Benchmark[^a-z\s]\S*\s+[1-9]\d*(\s+[\d.e+-]+\s+[^\s\d]\S*)+/
    for line in try files.flatMap({ try $0.text().split(separator: "\n") }) {
      #expect(line.wholeMatch(of: /[a-z][^A-Z\s:]*:[ \t]+.*/) != nil || line.wholeMatch(of: result) != nil, "\(line)")
    }
  }
}
