import Foundation
@testable import TestSupport
import StorageReport
import Testing

/// The directory of the committed outputs.
let goldenDirectory = packageRoot.appendingPathComponent("Tests/Golden")

/// Compares a text with a committed file. `RECORD_GOLDEN=1` writes the file, to be reviewed before committing.
func expectGolden(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let url = goldenDirectory.appendingPathComponent(name)
  if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
    return
  }
  let golden = try goldenDirectory.text(name)
  guard text != golden else { return }
  let lines = zip(text.components(separatedBy: "\n"), golden.components(separatedBy: "\n")).enumerated()
  let change =
    lines.first { $1.0 != $1.1 }.map { "line \($0.offset + 1) is\n\($0.element.0)\nand was\n\($0.element.1)" }
    ?? "the lengths differ"
  Issue.record(
    "\(name) changed: \(change)\nIf that is meant, run the tests with RECORD_GOLDEN=1.", sourceLocation: sourceLocation)
}

@Suite struct GoldenTests {
  /// Files with a line for each figure. They are compared for two cells only.
  private static let figures: Set = ["trials.csv", "report.json", "bencher.json"]

  /// Writes every format and returns the texts by name.
  private func texts(_ model: ReportModel, _ url: URL) throws -> [String: String] {
    try model.write(formats: ReportFormats.withoutImage).reduce(into: [:]) { texts, file in
      let name = String(file.path.dropFirst(url.path.count + 1))
      texts[name] = try url.text(name)
    }
  }

  /// The run has a cell of every status. The script of the page is left out, since other tests cover it.
  @Test func `every file is as recorded`() throws {
    try SampleRun.withModel { model, url in
      let texts = try texts(model, url)
      #expect(texts["github-summary.md"] == texts["report.md"])
      // A heading without content is followed by another of its level.
      #expect(texts["report.md"]?.contains(/\n(#+ )[^\n]*\n+\1/) == false)
      for (name, text) in texts where !Self.figures.contains(name) && name != "github-summary.md" {
        try expectGolden(text.replacing(/(?s)<script>.*?<\/script>/, with: "<script></script>"), name)
      }
      // A picture that is no longer written leaves no golden file behind.
      let charts = try FileManager.default.contentsOfDirectory(
        atPath: goldenDirectory.appendingPathComponent("charts").path)
      #expect(Set(charts.map { "charts/\($0)" }) == Set(texts.keys.filter { $0.hasSuffix(".svg") }))
    }
    let two = [SampleRun.save(SampleRun.sqlite, 1_000), SampleRun.read(SampleRun.lmdb)]
    let run = SampleRun.cells(two.contains)
    try SampleRun.withModel(plan: run.plan, trials: run.trials) { model, url in
      let texts = try texts(model, url)
      for name in Self.figures { try expectGolden(#require(texts[name]), name) }
    }
  }

  @Test func `advice is as recorded`() throws {
    let model = try SampleRun.model()
    let apps = [
      AppDescription(records: 2000, readsPerSave: 20, launchBudget: 50_000_000),
      AppDescription(records: 50_000, readsPerSave: 0.5, recordBytes: 400, durability: .intact),
      AppDescription(records: 10_000, readsPerSave: 5, durability: .durable),
      AppDescription(records: 5_000_000, readsPerSave: 0),
    ]
    let text = apps.map { TerminalWriter.text(Advice($0, by: model).document) }.joined(separator: "\n---\n\n")
    for line in text.split(separator: "\n") where !line.contains("storage-bench run") {
      #expect(line.count <= TerminalWriter.width, "\(line)")
    }
    try expectGolden(text, "advice.txt")
  }

  /// Without small saves the terminal shows a plain table.
  @Test func `the terminal is as recorded and fits`() throws {
    let whole = SampleRun.cells { _ in true }
    for (name, run) in [("terminal.txt", whole), ("terminal-generic.txt", SampleRun.withoutSaves)] {
      let model = try SampleRun.model(plan: run.plan, trials: run.trials)
      let text = TerminalWriter.text(model.document)
      for line in text.split(separator: "\n") { #expect(line.count <= TerminalWriter.width, "\(line)") }
      try expectGolden(text, name)
    }
  }
}
