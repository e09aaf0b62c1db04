import Foundation
@testable import check_run
@testable import TestSupport
import StorageReport
import StorageRunFiles
import Testing

/// The checker of finished runs: nothing to say of a run as it is, and each contradiction that is planted is found.
@Suite struct RunCheckTests {
  private static let commands = [
    "run": "--profile --resume -o -q --records", "advise": "--records --reads-per-save", "crashtest": "",
  ]

  private func problems(_ url: URL, terminal: String) throws -> [String] {
    try RunChecks.problems(FinishedRun(url, terminal: terminal, commands: Self.commands))
  }

  private func withRun(_ body: (URL, String) throws -> Void) throws {
    try SampleRun.withModel { model, url in
      try model.write(formats: ReportFormats.all)
      try body(url, TerminalWriter.text(RunReport(model).document))
    }
  }

  @Test func `nothing in the reports of a run contradicts its tables`() throws {
    try withRun { url, terminal in
      for problem in try problems(url, terminal: terminal) { Issue.record("\(problem)") }
      let looked = RunChecks.looked(try FinishedRun(url))
      #expect(looked > 300)
    }
  }

  @Test func `nothing in runs with known laws contradicts their tables`() throws {
    for seed in 1...2 as ClosedRange<UInt64> {
      for noise in [SyntheticRun.Noise.normal(0.01), .normal(0.1), .bursts] {
        let model = SyntheticRun.everyKind(noise: noise, seed: seed)
        let url = try SampleRun.write(plan: model.plan, trials: model.trials)
        defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
        let read = try ReportModel(reading: RunDirectory(url: url))
        try read.write(formats: ReportFormats.all)
        for problem in try problems(url, terminal: TerminalWriter.text(RunReport(read).document)) {
          Issue.record("\(problem), \(noise), seed \(seed)")
        }
      }
    }
  }

  /// A place in a file, what is planted there, and the check that must see it.
  private static let plants: [(file: String, old: String, new: String, check: String)] = [
    ("report.html", " is 2.42x (2.42-2.42) faster than ", " is 2.92x (2.90-2.94) faster than ", "verdict"),
    ("report.html", " faster than sqlite ", " faster than plist ", "verdict"),
    ("report.html", "may lose the last save, 4 syncs", "nothing lost, 4 syncs", "verdict"),
    ("report.html", ">2.4x</data>", ">3.4x</data>", "matrix"),
    ("report.html", "</data> ^", "</data>", "matrix"),
    ("report.html", ", nothing to compare with, p50</span>", ", left out, p51</span>", "matrix"),
    ("report.html", "about the same bytes", "about 1.4 times the bytes", "growth"),
    ("report.html", "about 10 times the bytes", "about the same bytes", "growth"),
    ("report.html", ": at every size measured (100 to 10,000)", ": to ~450 (400-500)", "frame limit"),
    ("report.html", ": to ~610", ": to ~6,100", "frame limit"),
    ("report.html", "up to ~610 records", "up to ~6,100 records", "answer"),
    ("report.html", "is 3.97x (3.97-3.97) as fast", "is 2.97x (2.97-2.97) as fast", "answer"),
    ("report.html", "and is safer (nothing lost)", "and is as safe", "answer"),
    ("report.html", "take 2.4x to", "take 1.4x to", "answer"),
    ("report.html", "is slower than", "is faster than", "answer"),
    ("report.html", "writes more bytes than", "writes fewer bytes than", "crossovers"),
    ("report.html", "storage-bench advise", "storage-bench advice", "commands"),
    ("report.html", "advise --records", "advise --documents", "commands"),
    ("report.html", "\"time\":", "\"time\":1", "page data"),
    ("report.json", "\"factor\" : 2.42", "\"factor\" : 3.42", "formats"),
    ("report.md", " faster than ", " slower than ", "formats"),
    ("terminal", "2.8 ms", "3.8 ms", "formats"),
    ("terminal", " faster than ", " slower than ", "formats"),
  ]

  @Test func `every planted contradiction is found`() throws {
    try withRun { url, terminal in
      for plant in Self.plants {
        var shown = terminal
        let file = url.appendingPathComponent(plant.file)
        let text = plant.file == "terminal" ? terminal : try String(contentsOf: file, encoding: .utf8)
        // The first place only: a page that is wrong throughout would be easier to catch.
        let place = try #require(text.range(of: plant.old), "\(plant.file) has no \u{201C}\(plant.old)\u{201D}")
        let changed = text.replacingCharacters(in: place, with: plant.new)
        if plant.file == "terminal" { shown = changed } else { try Data(changed.utf8).write(to: file) }
        let found = try problems(url, terminal: shown)
        #expect(found.contains { $0.hasPrefix(plant.check) }, "\(plant.new): \(found)")
        if plant.file != "terminal" { try Data(text.utf8).write(to: file) }
      }
      #expect(try problems(url, terminal: terminal) == [])
    }
  }

  /// A figure of the summary that its own trials do not give.
  @Test func `a p50 outside of its interval is found`() throws {
    try withRun { url, terminal in
      let file = url.appendingPathComponent("summary.csv")
      var lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
      let columns = lines[0].components(separatedBy: ",")
      let place = try #require(columns.firstIndex(of: "p50_low_ns"))
      var fields = lines[1].components(separatedBy: ",")
      fields[place] = fields[place + 1]
      lines[1] = fields.joined(separator: ",")
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
      #expect(try problems(url, terminal: terminal).contains { $0.hasPrefix("figures: plist/save-one/100/shipped") })
    }
  }
}
