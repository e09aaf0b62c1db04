import Foundation
@testable import TestSupport
import StorageContract
import StorageReport
import Testing

@Suite struct GoldenTests {
  /// Files with a line for each figure: two cells of them show the form.
  private static let figures: Set = ["trials.csv", "report.json", "bencher.json"]

  /// Every format of a run with one cell of every status. The script of the page is left out; other tests cover it.
  @Test func `every file is as recorded`() throws {
    try SampleRun.withModel { model, url in
      let files = try model.write(formats: ReportFormats.all)
      let names = files.map { String($0.path.dropFirst(url.path.count + 1)) }
      for (file, name) in zip(files, names) where !Self.figures.contains(name) {
        let text = try String(decoding: Data(contentsOf: file), as: UTF8.self)
        if name == "github-summary.md" {
          #expect(try text == String(contentsOf: url.appendingPathComponent("report.md"), encoding: .utf8))
        } else {
          try expectGolden(text.replacing(/(?s)<script>.*?<\/script>/, with: "<script></script>"), name)
        }
      }
      // A picture that is no longer made leaves no golden file behind.
      let charts = try FileManager.default.contentsOfDirectory(
        atPath: goldenDirectory.appendingPathComponent("charts").path)
      #expect(Set(charts) == Set(names.filter { $0.hasSuffix(".svg") }.map { String($0.dropFirst("charts/".count)) }))
    }
    let two: Set = [SampleRun.save(SampleRun.sqlite, 1_000), SampleRun.read(SampleRun.lmdb)]
    var plan = SampleRun.plan
    plan.cells.removeAll { !two.contains($0.cell) }
    try SampleRun.withModel(plan: plan, trials: SampleRun.trials.filter { two.contains($0.cell) }) { model, url in
      let files = try model.write(formats: ReportFormats.all)
      let names = files.map { String($0.path.dropFirst(url.path.count + 1)) }
      #expect(Self.figures.isSubset(of: names))
      for (file, name) in zip(files, names) where Self.figures.contains(name) {
        try expectGolden(String(decoding: Data(contentsOf: file), as: UTF8.self), name)
      }
    }
  }

  @Test func `advice is as recorded`() throws {
    try SampleRun.withModel { model, _ in
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
  }

  @Test func `terminal is as recorded and fits`() throws {
    try SampleRun.withModel { model, _ in
      let text = TerminalWriter.text(RunReport(model).document)
      for line in text.split(separator: "\n") { #expect(line.count <= TerminalWriter.width, "\(line)") }
      try expectGolden(text, "terminal.txt")
    }
  }

  @Test func `terminal without small saves is a plain table`() throws {
    var plan = SampleRun.plan
    plan.cells.removeAll { $0.cell.workload.id == "save-one" }
    let cells = Set(plan.cells.map(\.cell))
    try SampleRun.withModel(plan: plan, trials: SampleRun.trials.filter { cells.contains($0.cell) }) {
      model, _ in
      let text = TerminalWriter.text(RunReport(model).document)
      for line in text.split(separator: "\n") { #expect(line.count <= TerminalWriter.width, "\(line)") }
      try expectGolden(text, "terminal-generic.txt")
    }
  }
}
