import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

@Suite struct ReadingTests {
  private func withRun(tail: String = "", _ body: (URL) throws -> Void) throws {
    let url = try SampleRun.write(tail: tail)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    try body(url)
  }

  @Test func `a path that is no run is named with what is wrong`() throws {
    try withRun { url in
      let files = FileManager.default
      let missing = url.appendingPathComponent("missing")
      #expect(try refusal(missing) == "\(missing.path) does not exist; name the directory of a run")
      #expect(try refusal(url.appendingPathComponent("plan.json"))?.contains("is not a directory") == true)
      let empty = url.appendingPathComponent("empty")
      try files.createDirectory(at: empty, withIntermediateDirectories: false)
      #expect(try refusal(empty) == "\(empty.path) is empty; name the directory of a run")
      for name in ["plan.json", "environment.json", "trials.jsonl"] {
        let away = url.appendingPathComponent("away")
        try files.moveItem(at: url.appendingPathComponent(name), to: away)
        #expect(try refusal(url)?.hasPrefix("\(url.path) is not a run: it has no \(name);") == true)
        try files.moveItem(at: away, to: url.appendingPathComponent(name))
      }
      #expect(try refusal(url) == nil)
    }
  }

  @Test func `a cut last line is dropped with a warning`() throws {
    let tail = "{\"schema\":2,\"cell\":{\"back"
    try withRun(tail: tail) { url in
      let whole = SampleRun.trials.count
      let model = try ReportModel(reading: RunDirectory(url: url))
      #expect(model.trials == whole)
      #expect(model.warnings.last == "The last line of trials.jsonl is cut off and was dropped.")
      let end = try model.directory.trials.forEach { _ in }
      #expect(end.isTruncated)
      let text = try Data(contentsOf: model.directory.trialsURL)
      #expect(end.wholeBytes == text.count - tail.utf8.count)
      #expect(text[end.wholeBytes - 1] == 0x0A)
    }
  }

  /// A run that is still going on adds trials while files are written.
  @Test(arguments: ["", "{\"schema\":2,\"cell\":{\"back"])
  func `trials that come later are in no file`(tail: String) throws {
    try withRun(tail: tail) { url in
      let model = try ReportModel(reading: RunDirectory(url: url))
      _ = try RunReport(model).writeTables(to: url)
      let before = try url.text("trials.csv")
      let journal = try FileHandle(forWritingTo: model.directory.trialsURL)
      try journal.seek(toOffset: UInt64(try journal.seekToEnd()) - UInt64(tail.utf8.count))
      try journal.write(contentsOf: Data("nonsense\n".utf8))
      try journal.close()
      var count = 0
      let end = try model.journal.forEach { _ in count += 1 }
      #expect(count == model.trials && end.trials == count && !end.isTruncated)
      _ = try RunReport(model).writeTables(to: url)
      #expect(try url.text("trials.csv") == before)
      #expect(try refusal(url)?.contains("is damaged") == true)
    }
  }

  @Test func `a damaged line inside is refused by its number`() throws {
    try withRun(tail: "nonsense\n") { url in
      let words = "trials.jsonl is damaged: line \(SampleRun.trials.count + 1) is not a trial; restore the file"
      let refusal = try refusal(url)
      #expect(refusal?.contains(words) == true, "\(refusal ?? "accepted")")
    }
  }

  /// The work-alike had another name in them.
  @Test func `files of the version before are read`() throws {
    try withRun(tail: "") { url in
      let now = try ReportModel(reading: RunDirectory(path: url.path))
      #expect(now.rows.contains { $0.fidelity == .workAlike })
      for name in ["plan.json", "environment.json", "trials.jsonl"] {
        let text = try url.text(name)
        let old = text.replacing(/("schema" ?: ?)3/) { "\($0.output.1)2" }.replacing("work-alike", with: "lookalike")
        #expect(old != text)
        try Data(old.utf8).write(to: url.appendingPathComponent(name))
      }
      let before = try ReportModel(reading: RunDirectory(path: url.path))
      #expect(before.rows.map(\.fidelity) == now.rows.map(\.fidelity))
    }
  }

  @Test func `another schema version is refused`() throws {
    for (schema, advice) in [
      (9, "read it with the build that wrote it, or make a new run"),
      (1, "check out commit ecdbaf7 of storage-bench, the last that reads it"),
    ] {
      try withRun(tail: "{\"schema\":\(schema)}\n") { url in
        let words = "trials.jsonl has schema version \(schema), this build reads 2 to 3; \(advice)"
        let refusal = try refusal(url)
        #expect(refusal?.contains(words) == true, "\(refusal ?? "accepted")")
      }
    }
    for name in ["plan.json", "environment.json", "safety.json"] {
      try withRun { url in
        let file = url.appendingPathComponent(name)
        try Data("{\"schema\": 7}".utf8).write(to: file)
        #expect(try refusal(url)?.hasPrefix("\(file.path) has schema version 7") == true)
        try Data("{".utf8).write(to: file)
        #expect(try refusal(url)?.hasPrefix("\(file.path) is damaged") == true)
      }
    }
  }

  @Test func `trials of another plan are refused`() throws {
    var trials = SampleRun.trials
    trials[0].cell.records = 12
    let url = try SampleRun.write(trials: trials)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    #expect(try refusal(url)?.contains("has the cell plist/save-one/12/shipped, which plan.json does not list") == true)
  }

  @Test func `a run without trials explains its emptiness`() throws {
    for (plan, words) in [(SampleRun.plan, "No trial has been run yet"), (Plan(of: []), "The plan has no cells")] {
      let model = try SampleRun.model(plan: plan, trials: [])
      #expect(model.rows.allSatisfy { $0.status != .ok })
      #expect(MarkdownFormat.text(model.document).contains(words))
      #expect(TerminalWriter.text(model.document).contains(words))
    }
  }

  @Test func `a run that is read through a link has the name of its directory`() throws {
    try withRun { url in
      let link = url.deletingLastPathComponent().appendingPathComponent("latest")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
      #expect(try ReportModel(reading: RunDirectory(url: link)).rows[0].run == "sample")
    }
  }
}
