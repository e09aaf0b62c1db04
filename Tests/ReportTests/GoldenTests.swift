import Contract
import Foundation
import Report
import Testing

@Suite struct GoldenTests {
  @Test(arguments: ["summary.csv", "trials.csv", "report.md"]) func `file is as recorded`(name: String) throws {
    try SampleRun.withModel { model, url in
      try model.write(formats: ReportFormats.all)
      let text = try String(decoding: Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
      try expectGolden(text, name)
    }
  }

  @Test func `terminal is as recorded and fits`() throws {
    try SampleRun.withModel { model, _ in
      let text = TerminalReport.text(
        model, paths: [("Report", "results/latest/report.md"), ("Data", "results/latest/summary.csv")])
      for line in text.split(separator: "\n") { #expect(line.count <= TerminalReport.width, "\(line)") }
      try expectGolden(text, "terminal.txt")
    }
  }

  @Test func `terminal without small saves is a plain table`() throws {
    var plan = SampleRun.plan
    plan.cells.removeAll { $0.cell.workload.id == "save-one" }
    let cells = Set(plan.cells.map(\.cell))
    try SampleRun.withModel(plan: plan, trials: SampleRun.trials.filter { cells.contains($0.cell) }) {
      model, _ in
      let text = TerminalReport.text(model)
      for line in text.split(separator: "\n") { #expect(line.count <= TerminalReport.width, "\(line)") }
      try expectGolden(text, "terminal-generic.txt")
    }
  }
}
