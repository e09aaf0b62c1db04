import Foundation
@testable import check_run
@testable import TestSupport
@testable import StorageReport
import StorageRunFiles
import Testing

/// The checker of finished runs finds nothing in a correct run, and each planted contradiction.
@Suite struct RunCheckTests {
  private static let commands = [
    "run": "--profile --resume -o -q --records", "advise": "--records --reads-per-save", "crashtest": "",
  ]

  private func problems(_ url: URL) throws -> [String] {
    try RunChecks.problems(FinishedRun(url, terminal: url.text("terminal.txt"), commands: Self.commands))
  }

  /// Writes the reports of a run, and the text of the terminal beside them.
  private func withRun(
    _ plan: Plan = SampleRun.plan, _ trials: [Trial] = SampleRun.trials, _ body: (URL) throws -> Void
  ) throws {
    try SampleRun.withModel(plan: plan, trials: trials) { model, url in
      try model.write(formats: ReportFormats.withoutImage)
      try Data(TerminalWriter.text(model.document).utf8).write(to: url.appendingPathComponent("terminal.txt"))
      try body(url)
    }
  }

  @Test func `nothing in the committed run contradicts its tables`() throws {
    let run = try FinishedRun(ReportFiles.run.url)
    #expect(RunChecks.problems(run) == [] && RunChecks.looked(run) > 1_000)
  }

  @Test func `nothing in runs with known laws contradicts their tables`() throws {
    for seed in 1...2 as ClosedRange<UInt64> {
      for noise in [SyntheticRun.Noise.normal(0.01), .normal(0.1), .bursts] {
        let run = SyntheticRun.everyKind(noise: noise, seed: seed)
        try withRun(run.plan, run.trials) { url in
          let found = try problems(url)
          #expect(found == [], "\(noise), seed \(seed)")
        }
      }
    }
  }

  /// A text of a file, the planted one, and the check that must find it.
  private static let plants: [(file: String, old: String, new: String, check: String)] = [
    ("report.html", " is 2.42× (2.42-2.42) faster than ", " is 2.92× (2.90-2.94) faster than ", "verdict"),
    ("report.html", " faster than sqlite ", " faster than plist ", "verdict"),
    ("report.html", "may lose the last save, 4 syncs", "nothing lost, 4 syncs", "verdict"),
    ("report.html", ">2.4×</data>", ">3.4×</data>", "matrix"),
    ("report.html", "</data> ^", "</data>", "matrix"),
    ("report.html", ", nothing to compare with, p50</span>", ", left out, p51</span>", "matrix"),
    ("report.html", "about the same bytes", "about 1.4 times the bytes", "growth"),
    ("report.html", "about 10 times the bytes", "about the same bytes", "growth"),
    ("report.html", ": at every size measured (100 to 10,000)", ": to ~450 (400-500)", "frame limit"),
    ("report.html", ": to ~610", ": to ~6,100", "frame limit"),
    ("report.html", "up to ~610 records", "up to ~6,100 records", "answer"),
    ("report.html", "is 3.97× (3.97-3.97) as fast", "is 2.97× (2.97-2.97) as fast", "answer"),
    ("report.html", "and is safer (nothing lost)", "and is as safe", "answer"),
    ("report.html", "take 2.4× to", "take 1.4× to", "answer"),
    ("report.html", "is slower than", "is faster than", "answer"),
    ("report.html", "writes more bytes than", "writes fewer bytes than", "crossovers"),
    ("report.html", "storage-bench advise", "storage-bench advice", "commands"),
    ("report.html", "advise --records", "advise --documents", "commands"),
    ("report.html", "\"time\":", "\"time\":1", "page data"),
    ("summary.csv", ",2751300,2710800,", ",2751300,2818800,", "figures"),
    ("report.json", "\"factor\" : 2.42", "\"factor\" : 3.42", "formats"),
    ("report.md", " faster than ", " slower than ", "formats"),
    ("terminal.txt", "2.8 ms", "3.8 ms", "formats"),
    ("terminal.txt", " faster than ", " slower than ", "formats"),
  ]

  @Test func `every planted contradiction is found, and none in unchanged reports`() throws {
    try withRun { url in
      #expect(RunChecks.looked(try FinishedRun(url)) > 300)
      for plant in Self.plants {
        let file = url.appendingPathComponent(plant.file)
        let text = try url.text(plant.file)
        // The first occurrence only, since a page that is wrong throughout is easier to find.
        let range = try #require(text.range(of: plant.old), "\(plant.file) has no \u{201C}\(plant.old)\u{201D}")
        try Data(text.replacingCharacters(in: range, with: plant.new).utf8).write(to: file)
        let found = try problems(url)
        #expect(found.contains { $0.hasPrefix(plant.check) }, "\(plant.new): \(found)")
        try Data(text.utf8).write(to: file)
      }
      #expect(try problems(url) == [])
    }
  }
}
