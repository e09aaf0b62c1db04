import Foundation
import FoundationXML
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

@Suite struct FormatTests {
  /// A hash in the page's policy that is not the script's own would stop it in every browser, and nothing would say so.
  @Test func `the page's policy has the hash of its script`() throws {
    let page = HTMLFormat.text(Document(title: "", sections: []))
    let script = try #require(page.firstMatch(of: /<script>((?s).*?)<\/script>/)?.output.1)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(script.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "sha256sum \"$0\" | cut -c1-64", file.path]
    process.standardOutput = output
    try process.run()
    let hex = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    #expect(bytes.count == 32)
    // Where this fails, this is the value of PageScript.digest.
    #expect(page.contains("script-src 'sha256-\(Data(bytes).base64EncodedString())';"))
    #expect(!page.contains("nonce"))
  }

  @Test(arguments: ["=1+1", "@SUM(A1)", "+1+1", "-1+1", "\u{FF1D}1", "\u{FF0B}1"])
  func `no text of a run is a formula`(text: String) throws {
    var trials = SampleRun.trials
    for index in trials.indices {
      trials[index].settings = text
      trials[index].findings = [Finding(text, 1)]
      if trials[index].status == .failed { trials[index].note = text }
    }
    try SampleRun.withModel(trials: trials) { model, url in
      try model.write(formats: ReportFormats.named(["csv"]))
      for name in ["summary.csv", "trials.csv"] {
        let file = try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
        let fields = try #require(CSVText.parse(file)).flatMap(\.fields)
        #expect(fields.contains("'" + text), "\(name)")
        #expect(!fields.contains(text), "\(name)")
      }
    }
  }

  @Test(arguments: ["", "-", "-1.5", "+3", "1e-7", "a=b", "n/a"])
  func `fields that are no formula are as they were`(text: String) {
    #expect(CSVText.line([text, text]) == "\(text),\(text)")
  }

  /// The arguments are indices, since the test runner prints arguments unescaped.
  @Test(arguments: HostileRun.texts.indices)
  func `no text of others is active in any format`(place: Int) throws {
    let url = try HostileRun.write(HostileRun.texts[place])
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let model = try ReportModel(reading: RunDirectory(url: url))
    let report = RunReport(model)
    let out = url.appendingPathComponent("out")
    var texts = [(name: "terminal", text: TerminalWriter.text(report.document))]
    for format in ReportFormats.all {
      for file in try format.write(report, to: out) {
        texts.append((file.lastPathComponent, try String(contentsOf: file, encoding: .utf8)))
      }
    }
    #expect(texts.count > 10)
    for (name, text) in texts {
      // Go's format has tabs between fields.
      let allowed: Set<Unicode.Scalar> = name.contains("benchstat") ? ["\n", "\t"] : ["\n"]
      // JSON has its own ways to write what is below a space; everything else in it is data.
      let scalars = text.unicodeScalars.filter { $0.steers && !allowed.contains($0) }
      #expect(
        name.hasSuffix(".json") ? scalars.allSatisfy { $0.value >= 0x7F } : scalars.isEmpty, "\(name): \(scalars)")
      switch name.split(separator: ".").last {
      case "csv":
        let lines = try #require(CSVText.parse(text))
        #expect(lines.allSatisfy { $0.fields.count == lines[0].fields.count }, "\(name)")
        let formulas = lines.flatMap(\.fields).filter { $0.contains(/^[=@\u{FF1D}]|^[-+](?![0-9.e+-]*$)/) }
        #expect(formulas.isEmpty, "\(name): \(formulas)")
      case "html": #expect(ParsedPage(html: text).problems == [], "\(name)")
      case "xml", "svg": #expect(Markup(text).problems == [], "\(name)")
      case "json": #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
      case "md":
        // Indented lines are code, and so are words between backticks.
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
        #expect(
          text.split(separator: "\n").allSatisfy {
            !$0.hasPrefix("::") || $0.contains(/^::[a-z]+ title=storage-bench/)
          },
          "\(name)")
      default: break
      }
    }
  }

  @Test func `no text of a run steers a terminal or ends a line`() {
    let text = "a\u{1B}[2J\n::error::b\r\u{9B}31m"
    var section = Section(id: "s", title: text)
    section.lead = ["\(text) \(strong: text) \(code: text)"]
    section.code = [text]
    section.tables = [Table(text, [.words(text), .words("b")], [[.init(RichText(text)), .init(RichText(text))]])]
    section.lists = [.init(text, [RichText(text)])]
    let document = Document(title: text, sections: [section])
    for written in [TerminalWriter.text(document), MarkdownFormat.text(document)] {
      #expect(written.contains("a\\u{1B}[2J") || written.contains("a\\\\u{1B}"))
      #expect(!written.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) })
      #expect(!written.split(separator: "\n").contains { $0.hasPrefix("::") })
    }
  }

  @Test func `the summary has the columns of the design in their order`() {
    let columns = """
      schema,machine,run,backend,options,workload,records,record_bytes,threads,cache,durability,level,settings,\
      engine_version,fidelity,status,note,processes,operations,p50_ns,p50_low_ns,p50_high_ns,p90_ns,p99_ns,\
      p999_ns,max_ns,ops_per_s,cpu_ns_per_op,counted_operations,bytes_changed,bytes_written,\
      bytes_written_settled,write_calls,syncs,syncs_settled,bytes_read,opens,renames,allocations,\
      allocated_bytes,stored_bytes,file_bytes,file_bytes_allocated,peak_anon_bytes,peak_file_bytes,digest,\
      stream_hash,dataset,seed
      """
    // New ones come at the end.
    #expect(SummaryCSV.columns.joined(separator: ",").hasPrefix(columns + ","))
  }

  @Test func `the summary is read back as it was written`() throws {
    try SampleRun.withModel { model, url in
      try model.write(formats: ReportFormats.named(["csv"]))
      let file = url.appendingPathComponent("summary.csv")
      let read = try SummaryCSV.read(file)
      #expect(read.count == model.rows.count)
      for (left, right) in zip(read, model.rows) {
        #expect(left.cell == right.cell)
        #expect(left.settings == right.settings)
        #expect(left.note == right.note)
        #expect(left.status == right.status && left.level == right.level && left.fidelity == right.fidelity)
        #expect(left.p50 == right.p50 && left.p99 == right.p99 && left.max == right.max)
        #expect((left.p50Interval == nil) == (right.p50Interval == nil))
        #expect(abs((left.p50Interval?.high ?? 0) - (right.p50Interval?.high ?? 0)) < 0.001)
        #expect(left.cost == right.cost || right.cost?.otherBytesWritten != nil)
        #expect(left.isTimedOnce == right.isTimedOnce)
      }
      // What was read is written again as the same text.
      let text = try String(decoding: Data(contentsOf: file), as: UTF8.self)
      #expect(SummaryCSV.text(read) == text)
    }
  }

  @Test func `age, memory and findings of a cell are in the files, and read back`() throws {
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
      let text = try String(decoding: Data(contentsOf: url.appendingPathComponent("summary.csv")), as: UTF8.self)
      #expect(text.split(separator: "\n")[1].hasSuffix(",10,67108864,lost_updates=5 wait_p99_ns=2500000"))
      let row = try SummaryCSV.parse(text, path: "f")[0]
      #expect(row.cell == plan.cells[0].cell)
      #expect(row.finding("lost_updates") == 5 && row.finding("wait_p99_ns") == 2_500_000 && row.finding("x") == nil)
      let trials = try String(decoding: Data(contentsOf: url.appendingPathComponent("trials.csv")), as: UTF8.self)
      #expect(trials.contains("lost_updates,,2\n"))
    }
  }

  @Test func `what a backend cannot keep is in the report`() throws {
    var plan = SampleRun.plan
    plan.backends = [
      PlannedBackend(
        name: "sqlite:as=apple", safety: "A power cut may take | a save.",
        deviations: [Deviation(.minusZero, "The number -0 comes back as 0.")]),
      PlannedBackend(name: "lmdb", safety: "Nothing is lost.", deviations: []),
    ]
    try SampleRun.withModel(plan: plan) { model, _ in
      let text = MarkdownFormat.text(RunReport(model).document)
      #expect(
        text.contains(
          "| sqlite:as=apple | A power cut may take \\| a save. | The number -0 comes back as 0. |\n"
            + "| lmdb | Nothing is lost. | nothing |"))
    }
    // Plans of older runs do not tell.
    #expect(
      try SampleRun.withModel { model, _ in
        !MarkdownFormat.text(RunReport(model).document).contains("Known limitations")
      })
  }

  @Test func `texts with commas and quotes survive, and lines are written out`() throws {
    var row = SummaryRow(
      cell: SampleRun.save(SampleRun.fresh, 5), machine: "a,b", run: "\"quoted\"", level: .intact,
      engineVersion: "one\r\ntwo", fidelity: .native, seed: .max)
    row.settings = "x=1,\ny=\"2\""
    row.status = .skipped
    let read = try SummaryCSV.parse(SummaryCSV.text([row, row]), path: "f")
    row.engineVersion = "one\\r\\ntwo"
    row.settings = "x=1,\\ny=\"2\""
    #expect(read == [row, row])
  }

  @Test func `a damaged summary names the line and the column`() throws {
    let text = try SampleRun.withModel { model, _ in SummaryCSV.text(model.rows) }
    func message(_ text: String) -> String {
      do {
        _ = try SummaryCSV.parse(text, path: "s.csv")
        return "accepted"
      } catch { return "\(error)" }
    }
    #expect(message(text) == "accepted")
    #expect(message("") == "s.csv is empty; make it again with `report`")
    #expect(message(text + "\"") == "s.csv is damaged: a quote is left open")
    #expect(message(text + "1,2\n").contains("2 fields where the header has \(SummaryCSV.columns.count)"))
    #expect(
      message(text.replacing("run,backend", with: "backend,run", maxReplacements: 1)).contains(
        "column run is not"))
    #expect(
      message(text.replacing(",FAILED", with: "").replacing(",failed,", with: ",bad,")).contains(
        "'bad' is not"))
    #expect(
      message(text.replacing(",10000,100,", with: ",many,100,")).contains("'many' is not a value of records"))
  }

  @Test func `trials have their figures and units, failed ones none`() throws {
    try SampleRun.withModel { model, url in
      try model.write(formats: ReportFormats.named(["csv"]))
      let text = try String(
        decoding: Data(contentsOf: url.appendingPathComponent("trials.csv")), as: UTF8.self)
      let lines = text.split(separator: "\n").map(String.init)
      let trial = SampleRun.timed(SampleRun.save(SampleRun.sqlite, 100), round: 2)
      let median = NumberFormat.plain(trial.timing?.p50 ?? 0)
      #expect(lines.contains("sqlite,,save-one,100,100,1,warm,0,,shipped,2,1,timed,p50,ns,\(median)"))
      #expect(lines.contains("lmdb,,save-one,100,100,1,warm,0,,shipped,,,cost,syncs,call,4000"))
      let failed = lines.filter { $0.hasPrefix("object-graph,,save-one,10000,100,1,warm,0,,shipped,3,") }
      #expect(
        failed.map { $0.split(separator: ",").suffix(3).joined(separator: ",") }.sorted() == [
          "failed,trial,1", "wall,s,0.2",
        ])
      #expect(lines.count { $0.contains(",timed,p50,ns,") } == SampleRun.trials.count { $0.timing != nil })
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
    try SampleRun.withModel(plan: plan) { model, _ in
      let text = MarkdownFormat.text(RunReport(model).document)
      #expect(text.utf8.count <= MarkdownFormat.limit)
      #expect(text.utf8.count > MarkdownFormat.limit / 2)
      #expect(text.contains("more lines are left out here; summary.csv has them all."))
      #expect(text.contains("## Verdict"))
      #expect(text.contains("## How to read this"))
      #expect(
        text.components(separatedBy: "<details>").count == text.components(separatedBy: "</details>").count)
    }
  }

  @Test func `formats are found by name and refused by the nearest`() throws {
    let found = try ReportFormats.named(["markdown", "csv"])
    #expect(found.map { $0.id } == ["markdown", "csv"])
    #expect {
      try ReportFormats.named(["markdwon"])
    } throws: {
      "\($0)".contains("unknown format 'markdwon'; the nearest is 'markdown'")
    }
  }

  @Test func `files are replaced whole and errors name them`() throws {
    try SampleRun.withModel { model, url in
      let other = url.appendingPathComponent("a/b")
      let written = try model.write(formats: ReportFormats.usual, to: other)
      let pictures = written.filter { $0.pathExtension == "svg" }
      #expect(
        written.filter { !pictures.contains($0) }.map(\.lastPathComponent) == [
          "summary.csv", "trials.csv", "report.md", "report.html",
        ])
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: other.path).sorted() == [
          "charts", "report.html", "report.md", "summary.csv", "trials.csv",
        ])
      #expect(
        try Set(FileManager.default.contentsOfDirectory(atPath: other.appendingPathComponent("charts").path))
          == Set(pictures.map(\.lastPathComponent)))
      let file = url.appendingPathComponent("plan.json")
      #expect {
        try model.write(formats: ReportFormats.all, to: file)
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
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: url.path).allSatisfy { !$0.hasSuffix(".tmp") })
    }
  }
}

/// XML as a reader of its markup sees it.
private final class Markup: NSObject, XMLParserDelegate {
  /// Elements and attributes that would act.
  private(set) var problems: [String] = []

  init(_ text: String) {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    if !parser.parse() { problems.append("not well-formed: \(String(describing: parser.parserError))") }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    if ["script", "img", "a", "foreignObject", "image", "use"].contains(name) { problems.append("has a \(name)") }
    problems += attributes.keys.filter { $0.hasPrefix("on") || $0.hasSuffix("href") }.map { "has \($0)" }
  }
}
