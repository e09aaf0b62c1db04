import Foundation
@testable import TestSupport
import StorageContract
import StorageReport
import StorageRunFiles
import Testing

/// Numbers of a run's files are checked while reading. An altered file is refused, and never ends the process.
@Suite struct FileNumberTests {
  /// Writes a run with every field that files have, and passes its directory to a body.
  private func withRun(_ body: (URL) throws -> Void) throws {
    var plan = SampleRun.plan
    (plan.rate, plan.shard, plan.places) = (100, "1/2", Array(plan.cells.indices))
    (plan.cells[0].cell.aged, plan.cells[0].cell.memory) = (10, 64 << 20)
    var environment = SampleRun.environment
    environment.wall = 12.5
    var timing = Timing(
      operations: 20, elapsed: 9_000, cpu: 8_000, min: 100, max: 9_000, p25: 250, p50: 250.5, batch: 2,
      histogram: HistogramText([(100, 1), (9_000, 19)]).text, clock: 20)
    (timing.resident, timing.checkpoints) = (0.5, 2)
    (timing.rate, timing.overFrame, timing.overHalfFrame, timing.singlesElapsed) = (100, 1, 2, 3)
    timing.kinds = [KindTiming(kind: "read", operations: 2, max: 100, histogram: HistogramText([(100, 2)]).text)]
    var cost = Cost(countedOperations: 8)
    for measure in Measure.all { cost[keyPath: measure.path] = 1_000 }
    var trial = Trial(
      cell: plan.cells[0].cell, pass: .timed, round: 1, position: 1, started: 1_700_000_000, wall: 1, status: .ok,
      predicted: 5, timing: timing, cost: cost)
    trial.findings = [Finding("lost_updates", 3)]
    let url = try SampleRun.write(plan: plan, environment: environment, trials: [trial])
    var result = SafetyReport.FaultResult(
      backend: "sqlite", durability: .shipped, level: .intact, fault: "power", cases: 7, kept: 1, lostWithinPromise: 1,
      lostAgainstPromise: 1, torn: 1, refused: 1, unnoticed: 1, crashed: 1, broken: 1)
    (result.possible, result.seconds) = (100, 5)
    let safety = SafetyReport(created: "2026-11-20T10:00:00Z", seed: 1, place: "here", findings: [result])
    try JSONEncoder().encode(safety).write(to: url.appendingPathComponent("safety.json"))
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    try body(url)
  }

  /// Returns the numbers of a JSON text, each with its range and name.
  private func numbers(_ text: String) -> [(range: Range<String.Index>, name: Substring)] {
    text.matches(of: /"(\w+)" ?: ?(-?[0-9][0-9.eE+-]*)/).map {
      (range: $0.output.2.startIndex..<$0.output.2.endIndex, name: $0.output.1)
    }
  }

  /// A new field that is not checked fails here.
  @Test(
    arguments: ["trials.jsonl", "plan.json", "environment.json", "safety.json"],
    ["9223372036854775807", "-9223372036854775808", "1e308"])
  func `no number is taken unchecked`(file: String, number: String) throws {
    try withRun { url in
      #expect(try refusal(url) == nil)
      let path = url.appendingPathComponent(file)
      let text = try url.text(file)
      // These may be any number, and nothing is computed with them.
      let unchecked: Set<Substring> = ["seed", "possible", "predicted_ns", "time"]
      let checked = numbers(text).filter { !unchecked.contains($0.name) }
      #expect(checked.count >= 3)
      for (range, name) in checked {
        try text.replacingCharacters(in: range, with: number).write(to: path, atomically: false, encoding: .utf8)
        let refusal = try refusal(url)
        #expect(refusal?.hasPrefix(path.path) == true, "\(name) of \(file) as \(number): \(refusal ?? "accepted")")
        // Foundation's decoder does not name the field of a fraction in place of a whole number.
        #expect(
          refusal?.contains(name) == true || refusal?.contains(" is damaged: ") == true, "\(name): \(refusal ?? "")")
      }
    }
  }

  /// Each of these once ended the process.
  @Test(arguments: [
    ("trials.jsonl", "record_bytes", "4611686018427387904"), ("trials.jsonl", "records", "4611686018427387904"),
    ("trials.jsonl", "p50", "5e-324"), ("trials.jsonl", "operations", "9223372036854775807"),
    ("trials.jsonl", "round", "9223372036854775807"), ("trials.jsonl", "syncs_settled", "4611686018427387904"),
    ("plan.json", "cellLimit", "9223372036854775807"), ("plan.json", "record_bytes", "4611686018427387904"),
    ("trials.jsonl", "p25", "251"), ("trials.jsonl", "min", "9001"), ("trials.jsonl", "counted_operations", "0"),
    ("safety.json", "kept", "8"), ("trials.jsonl", "resident", "1.5"),
  ])
  func `an impossible number is named with its file and field`(file: String, name: String, number: String) throws {
    try withRun { url in
      let path = url.appendingPathComponent(file)
      let text = try url.text(file)
      let range = try #require(numbers(text).first { $0.name == name }).range
      try text.replacingCharacters(in: range, with: number).write(to: path, atomically: false, encoding: .utf8)
      let sentence = try #require(try refusal(url))
      #expect(sentence.hasPrefix(file == "trials.jsonl" ? "\(path.path), line 1: " : "\(path.path): "), "\(sentence)")
      #expect(
        sentence.contains(name) && sentence.hasSuffix("; restore the file from a copy, or make a new run"),
        "\(sentence)")
      #expect(!sentence.contains("\n"))
    }
  }

  @Test func `a plan that lists a cell twice, or by an endless name, is refused`() throws {
    for (alter, words) in [
      ({ $0.cells.append($0.cells[0]) }, "cells has plist/save-one/100/shipped twice"),
      ({ $0.cells[0].cell.workload = Spec(id: String(repeating: "x", count: 501)) }, "a name of more than 500 bytes"),
      ({ $0.shard = "1/9223372036854775807" }, "shard is '1/9223372036854775807', but must be the number of"),
    ] as [((inout Plan) -> Void, String)] {
      var plan = SampleRun.plan
      alter(&plan)
      let url = try SampleRun.write(plan: plan)
      defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
      let sentence = try #require(try refusal(url))
      #expect(sentence.hasPrefix("\(url.path)/plan.json: ") && sentence.contains(words), "\(sentence)")
    }
  }

  @Test func `an impossible probe is left out`() throws {
    try withRun { url in
      let good = #"{"loop":49321371,"started":1795425274.6,"steal":1565,"ticks":8378209,"write":1449333}"#
      let bad = good.replacing("1565", with: "1e300")
      try Data("\(good)\n\(bad)\n\(good)\n".utf8).write(to: url.appendingPathComponent("probes.jsonl"))
      #expect(RunDirectory(url: url).probes.count == 2)
      #expect(try refusal(url) == nil)
    }
  }

  @Test(arguments: ["AQA", "AQA=A", "!AAA", "gA==", "AQ==", "////////////AQ==", "AP//////////fw=="])
  func `a text that is no histogram is refused`(text: String) throws {
    #expect(HistogramText(text: text) == nil)
    try withRun { url in
      let altered = try url.text("trials.jsonl").replacing(/"histogram":"[^"]*"/) { _ in "\"histogram\":\"\(text)\"" }
      try Data(altered.utf8).write(to: url.appendingPathComponent("trials.jsonl"))
      #expect(try refusal(url)?.contains("line 1: timing.histogram is not a histogram") == true)
    }
  }

  @Test func `a histogram is read back as it was written`() {
    var dice = SplitMix64(seed: 7)
    for length in 0..<200 {
      var value: UInt64 = 0
      let histogram = HistogramText(
        (0..<length).map { _ in
          value += dice.next() >> UInt64.random(in: 24...63, using: &dice)
          return (value, dice.next() >> UInt64.random(in: 24...63, using: &dice))
        })
      #expect(HistogramText(text: histogram.text)?.buckets.elementsEqual(histogram.buckets) { $0 == $1 } == true)
      #expect(Data(base64Encoded: histogram.text) != nil)
    }
  }
}
