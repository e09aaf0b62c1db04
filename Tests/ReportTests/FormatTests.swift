import Foundation
@testable import TestSupport
@testable import check_run
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

@Suite struct FormatTests {
  /// A hash in the page's policy that is not the script's own would stop it in every browser, and nothing would say so.
  @Test func `the page's policy has the hash of its script`() throws {
    let page = HTMLFormat.text(Document(title: "", sections: []))
    let script = try #require(page.firstMatch(of: /<script>((?s).*?)<\/script>/)?.output.1)
    let hex = try withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("script.js")
      try Data(script.utf8).write(to: file)
      return try runProgram(["/usr/bin/sha256sum", file.path]).output
    }
    let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    #expect(bytes.count == 32)
    // After a failure, this is the value of PageScript.digest.
    #expect(page.contains("script-src 'sha256-\(Data(bytes).base64EncodedString())';"))
    #expect(!page.contains("nonce"))
  }

  @Test func `formulas are quoted in CSV, and other fields are unchanged`() {
    for text in ["=1+1", "@SUM(A1)", "+1+1", "-1+1", "\u{FF1D}1", "\u{FF0B}1"] {
      #expect(CSVText.line([text, "a"]) == "'\(text),a")
    }
    for text in ["", "-", "-1.5", "+3", "1e-7", "a=b", "n/a"] {
      #expect(CSVText.line([text, text]) == "\(text),\(text)")
    }
  }

  /// The arguments are indices, since the test runner prints arguments unescaped.
  @Test(arguments: HostileRun.texts.indices)
  func `no text of a run is active in any format`(index: Int) throws {
    let url = try HostileRun.write(HostileRun.texts[index])
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let model = try ReportModel(reading: RunDirectory(url: url))
    let report = RunReport(model)
    let out = url.appendingPathComponent("out")
    var texts = [(name: "terminal", text: TerminalWriter.text(report.document))]
    for format in ReportFormats.withoutImage {
      for file in try format.write(report, to: out) {
        texts.append((file.lastPathComponent, try String(contentsOf: file, encoding: .utf8)))
      }
    }
    #expect(texts.count > 10)
    for (name, text) in texts {
      // Go's format has tabs between fields.
      let allowed: Set<Unicode.Scalar> = name.contains("benchstat") ? ["\n", "\t"] : ["\n"]
      // JSON escapes control characters, and all other text in it is data.
      let scalars = text.unicodeScalars.filter { $0.steers && !allowed.contains($0) }
      #expect(
        name.hasSuffix(".json") ? scalars.allSatisfy { $0.value >= 0x7F } : scalars.isEmpty, "\(name): \(scalars)")
      switch name.split(separator: ".").last {
      case "csv":
        let lines = try DelimitedText.rows(text, file: name)
        #expect(lines.allSatisfy { $0.fields.count == lines[0].fields.count }, "\(name)")
        // Outside the closure, which would compile the expression for each field.
        let formula = /^[=@\u{FF1D}\u{FF0B}]|^[-+](?![0-9.e+-]*$)/
        let formulas = lines.flatMap(\.fields).filter { $0.contains(formula) }
        #expect(formulas.isEmpty, "\(name): \(formulas)")
      case "html": #expect(MarkupProblems.ofPage(text) == [], "\(name)")
      case "xml", "svg": #expect(MarkupProblems.ofXML(text) == [], "\(name)")
      case "json": #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
      case "md":
        // Indented lines and words between backticks are code.
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("    ") }
        let own = #/<\/?details>|<summary>[^<]*<\/summary>|(`+)(?:[^\n]*?[^`\n])\1(?!`)/#
        let rest = lines.joined(separator: "\n").replacing(own, with: "")
        let mark = rest.firstMatch(of: /<|:\/\/|!\[|[^\\]\]\(javascript/)
        #expect(mark == nil, "\(name): \(mark?.output ?? "")")
        for line in lines {
          let words = line.hasPrefix("- ") ? line.dropFirst(2) : line
          for opening in ["# x", "```x", "- x", "1. x", "---", "    x"] {
            #expect(!words.hasPrefix(opening), "\(name): \(line)")
          }
          #expect(!line.hasPrefix("|") || line.hasSuffix(" |"), "\(name): \(line)")
        }
      case "txt":
        let annotation = /^::[a-z]+ title=storage-bench/
        #expect(text.split(separator: "\n").allSatisfy { !$0.hasPrefix("::") || $0.contains(annotation) }, "\(name)")
      default: break
      }
    }
  }

  @Test func `age, memory and findings of a cell are in the files`() throws {
    var plan = SampleRun.plan
    (plan.cells[0].cell.aged, plan.cells[0].cell.memory) = (10, 64 << 20)
    var trial = try #require(SampleRun.trials.first { $0.cell == SampleRun.plan.cells[0].cell && $0.status == .ok })
    trial.cell = plan.cells[0].cell
    trial.findings = [Finding("lost_updates", 2), Finding("wait_p99_ns", 1.5e6, .max)]
    var second = trial
    second.round = (trial.round ?? 0) + 1
    second.findings = [Finding("wait_p99_ns", 2.5e6, .max), Finding("lost_updates", 3)]
    try SampleRun.withModel(plan: plan, trials: [trial, second]) { model, url in
      try model.write(formats: ReportFormats.named(["csv"]))
      let text = try url.text("summary.csv")
      #expect(text.split(separator: "\n")[1].hasSuffix(",10,67108864,lost_updates=5 wait_p99_ns=2500000,"))
      #expect(FinishedRun.rows(text)[0].cell == plan.cells[0].cell.name)
      #expect(try url.text("trials.csv").contains("lost_updates,,2\n"))
    }
  }

  @Test func `the limitations of backends are in the report, if the plan has them`() throws {
    var plan = SampleRun.plan
    plan.backends = [
      PlannedBackend(
        name: "sqlite:as=apple", safety: "A power cut may take | a save.",
        deviations: [Deviation(.minusZero, "The number -0 comes back as 0.")]),
      PlannedBackend(name: "lmdb", safety: "Nothing is lost.", deviations: []),
    ]
    #expect(
      try MarkdownFormat.text(SampleRun.model(plan: plan).document).contains(
        "| sqlite:as=apple | A power cut may take \\| a save. | The number -0 comes back as 0. |\n"
          + "| lmdb | Nothing is lost. | nothing |"))
    // Plans of older runs have none.
    #expect(try !MarkdownFormat.text(SampleRun.model().document).contains("Known limitations"))
  }

  @Test func `texts with commas and quotes survive, and lines are written out`() throws {
    var row = SummaryRow(SampleRun.save(SampleRun.fresh, 5))
    (row.machine, row.run, row.seed, row.status) = ("a,b", "\"quoted\"", .max, .skipped)
    row.engineVersion = "one\r\ntwo"
    row.settings = "x=1,\ny=\"2\""
    let read = FinishedRun.rows(SummaryCSV.text([row, row]))
    #expect(read.count == 2)
    for line in read {
      #expect(line.text("machine") == "a,b" && line.text("run") == "\"quoted\"" && line.text("seed") == "\(UInt64.max)")
      #expect(line.text("engine_version") == "one\\r\\ntwo" && line.text("settings") == "x=1,\\ny=\"2\"")
    }
  }

  /// The others: `GoldenTests`.
  @Test func `failed trials have no figures`() throws {
    try SampleRun.withModel { model, url in
      try model.write(formats: ReportFormats.named(["csv"]))
      let failed = try url.text("trials.csv").split(separator: "\n").filter {
        $0.hasPrefix("object-graph,,save-one,10000,100,1,warm,0,,shipped,3,")
      }
      #expect(
        failed.map { $0.split(separator: ",").suffix(3).joined(separator: ",") }.sorted() == [
          "failed,trial,1", "wall,s,0.2",
        ])
    }
  }

  @Test func `the page keeps within a comment's length and says what it lacks`() throws {
    var plan = SampleRun.plan
    let pattern = plan.cells[1]
    for records in 20_000..<23_000 {
      var cell = pattern
      cell.cell.records = records
      cell.refusal = .init(status: .skipped, note: "a reason of some length, so that the tables are long")
      plan.cells.append(cell)
    }
    let model = try SampleRun.model(plan: plan)
    let text = try ReportFormat.markdown().text(RunReport(model))
    #expect(text.utf8.count <= MarkdownFormat.limit)
    #expect(text.utf8.count > MarkdownFormat.limit / 2)
    #expect(text.contains("more lines are left out here; summary.csv has them all."))
    #expect(text.contains("## Verdict"))
    #expect(text.contains("## How to read this"))
    #expect(text.components(separatedBy: "<details>").count == text.components(separatedBy: "</details>").count)
  }

  @Test func `formats are found by name and refused by the nearest`() throws {
    let found = try ReportFormats.named(["markdown", "csv"])
    #expect(found.map { $0.id } == ["markdown", "csv"])
    let error = #expect(throws: (any Error).self) { try ReportFormats.named(["markdwon"]) }
    #expect("\(error!)".contains("unknown format 'markdwon'; the nearest is 'markdown'"))
  }

  @Test func `files are replaced whole and errors name them`() throws {
    try SampleRun.withModel { model, url in
      let other = url.appendingPathComponent("a/b")
      let written = try model.write(formats: ReportFormats.usual, to: other)
        .map { String($0.path.dropFirst(other.path.count + 1)) }
      #expect(
        written.filter { !$0.hasPrefix("charts/") } == ["summary.csv", "trials.csv", "report.md", "report.html"])
      #expect(try Set(FileManager.default.subpathsOfDirectory(atPath: other.path)) == Set(written + ["charts"]))
      let file = url.appendingPathComponent("plan.json")
      #expect {
        try model.write(formats: ReportFormats.withoutImage, to: file)
      } throws: {
        ($0 as? FileWriteError)?.path == file.path
      }
      // A failure in the middle leaves the old file and nothing beside it.
      struct Stop: Error {}
      let old = try Data(contentsOf: file)
      #expect(throws: Stop.self) {
        try AtomicFile.stream(to: file, replacing: { _ in true }) { output in
          try output.append("half")
          throw Stop()
        }
      }
      #expect(try Data(contentsOf: file) == old)
      #expect(try FileManager.default.contentsOfDirectory(atPath: url.path).allSatisfy { !$0.hasSuffix(".tmp") })
    }
  }
}
