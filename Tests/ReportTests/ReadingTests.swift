import Foundation
@testable import TestSupport
import StorageContract
import StorageReport
import StorageRunFiles
import Testing

@Suite struct ReadingTests {
  private func message(_ url: URL) -> String? {
    do {
      _ = try ReportModel(reading: RunDirectory(url: url))
      return nil
    } catch let error as UsageError {
      return error.description
    } catch {
      return "another error: \(error)"
    }
  }

  private func withRun(tail: String = "", _ body: (URL) throws -> Void) throws {
    let url = try SampleRun.write(tail: tail)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    try body(url)
  }

  @Test func `a path that is no run is named with what is wrong`() throws {
    try withRun { url in
      let files = FileManager.default
      let missing = url.appendingPathComponent("missing")
      #expect(message(missing) == "\(missing.path) does not exist; name the directory of a run")
      #expect(message(url.appendingPathComponent("plan.json"))?.contains("is not a directory") == true)
      let empty = url.appendingPathComponent("empty")
      try files.createDirectory(at: empty, withIntermediateDirectories: false)
      #expect(message(empty) == "\(empty.path) is empty; name the directory of a run")
      for name in ["plan.json", "environment.json", "trials.jsonl"] {
        let away = url.appendingPathComponent("away")
        try files.moveItem(at: url.appendingPathComponent(name), to: away)
        #expect(message(url)?.hasPrefix("\(url.path) is not a run: it has no \(name);") == true)
        try files.moveItem(at: away, to: url.appendingPathComponent(name))
      }
      #expect(message(url) == nil)
    }
  }

  @Test func `a cut last line is dropped and said`() throws {
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

  /// All files tell of the same trials, whatever a run that is still going on adds between the first and the last.
  @Test(arguments: ["", "{\"schema\":2,\"cell\":{\"back"])
  func `trials that come later are in no file`(tail: String) throws {
    try withRun(tail: tail) { url in
      let model = try ReportModel(reading: RunDirectory(url: url))
      let trials = url.appendingPathComponent("trials.csv")
      _ = try RunReport(model).writeTables(to: url)
      let before = try Data(contentsOf: trials)
      let journal = try FileHandle(forWritingTo: model.directory.trialsURL)
      try journal.seek(toOffset: UInt64(try journal.seekToEnd()) - UInt64(tail.utf8.count))
      try journal.write(contentsOf: Data("nonsense\n".utf8))
      try journal.close()
      var count = 0
      let end = try model.journal.forEach { _ in count += 1 }
      #expect(count == model.trials && end.trials == count && !end.isTruncated)
      _ = try RunReport(model).writeTables(to: url)
      #expect(try Data(contentsOf: trials) == before)
      #expect(message(url)?.contains("is damaged") == true)
    }
  }

  @Test func `a damaged line inside is refused by its number`() throws {
    try withRun(tail: "nonsense\n") { url in
      let line = SampleRun.trials.count + 1
      #expect(message(url)?.contains("trials.jsonl is damaged: line \(line) is not a trial; take the file") == true)
    }
  }

  /// The work-alike had another name in them.
  @Test func `files of the version before are read`() throws {
    try withRun(tail: "") { url in
      let now = try ReportModel(reading: RunDirectory(path: url.path))
      #expect(now.rows.contains { $0.fidelity == .workAlike })
      for name in ["plan.json", "environment.json", "trials.jsonl"] {
        let file = url.appendingPathComponent(name)
        let text = try String(contentsOf: file, encoding: .utf8)
        let old = text.replacing(/("schema" ?: ?)3/) { "\($0.output.1)2" }.replacing("work-alike", with: "lookalike")
        #expect(old != text)
        try Data(old.utf8).write(to: file)
      }
      let before = try ReportModel(reading: RunDirectory(path: url.path))
      #expect(before.rows.map(\.fidelity) == now.rows.map(\.fidelity))
    }
  }

  @Test func `another schema version is refused`() throws {
    try withRun(tail: "{\"schema\":9}\n") { url in
      #expect(
        message(url)?.hasSuffix(
          "trials.jsonl has schema version 9, this build reads 2 to 3; read it with the build that wrote it, or run again"
        )
          == true)
    }
    // An older one is read by a build that can be had.
    try withRun(tail: "{\"schema\":1}\n") { url in
      #expect(
        message(url)?.contains(
          "has schema version 1, this build reads 2 to 3; check out commit ecdbaf7 of storage-bench, the last that reads it"
        )
          == true)
    }
    for name in ["plan.json", "environment.json"] {
      try withRun { url in
        let file = url.appendingPathComponent(name)
        try Data("{\"schema\": 7}".utf8).write(to: file)
        #expect(message(url)?.hasPrefix("\(file.path) has schema version 7") == true)
        try Data("{".utf8).write(to: file)
        #expect(message(url)?.hasPrefix("\(file.path) is damaged") == true)
      }
    }
  }

  @Test func `trials of another plan are refused`() throws {
    var trials = SampleRun.trials
    trials[0].cell.records = 12
    let url = try SampleRun.write(trials: trials)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    #expect(message(url)?.contains("is mixed: it has the cell plist/save-one/12/shipped") == true)
  }

  @Test func `a run without trials explains its emptiness`() throws {
    try SampleRun.withModel(trials: []) { model, _ in
      #expect(model.rows.allSatisfy { $0.status != .ok })
      #expect(MarkdownFormat.text(RunReport(model).document).contains("No trial has been run yet"))
      #expect(TerminalWriter.text(RunReport(model).document).contains("No trial has been run yet"))
    }
    try SampleRun.withModel(plan: Plan(rounds: 6, cells: []), trials: []) { model, _ in
      #expect(MarkdownFormat.text(RunReport(model).document).contains("The plan has no cells"))
      #expect(TerminalWriter.text(RunReport(model).document).contains("The plan has no cells"))
    }
  }

  @Test func `a link's run bears the name of what it points to`() throws {
    try withRun { url in
      let link = url.deletingLastPathComponent().appendingPathComponent("latest")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
      #expect(try ReportModel(reading: RunDirectory(url: link)).rows[0].run == "sample")
    }
  }
}
