import Foundation
import Testing

/// Files and names that are made to mislead the program, a terminal or a CI system.
extension EndToEnd.Enduring {
  @Suite struct AlteredFileTests {
    private let workplace = Workplace()

    /// Copies the committed example, and replaces a text in its files. Both texts are as in JSON.
    private func example(replacing text: String, with other: String) throws {
      try FileManager.default.createDirectory(atPath: "\(workplace.path)/run", withIntermediateDirectories: true)
      for name in ["plan.json", "environment.json", "trials.jsonl"] {
        let file = try String(
          contentsOf: Program.root.appendingPathComponent("results/example/\(name)"), encoding: .utf8)
        // A quiet machine has no warnings, so one is added.
        let warned = file.replacing(
          /"warnings" : \[[^\]]*\]/, with: "\"warnings\" : [\"The machine was busy when the run began: load 1.2.\"]")
        try workplace.write("run/\(name)", warned.replacing(text, with: other))
      }
    }

    /// Expects no control characters, and no lines that GitHub Actions would take for commands of others.
    private func expectSteersNothing(_ finished: Finished, sourceLocation: SourceLocation = #_sourceLocation) {
      for text in [finished.output, finished.errors] {
        let controls = text.unicodeScalars.filter {
          $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value)
        }
        let commands = text.split(separator: "\n").map { $0.drop { $0.isWhitespace } }.filter { line in
          // The runner accepts commands in two forms.
          if line.hasPrefix("::") { return line.firstMatch(of: /^::[a-z]+ title=storage-bench/) == nil }
          return line.contains("##[")
        }
        #expect(controls.isEmpty && commands.isEmpty, "\(text)", sourceLocation: sourceLocation)
      }
    }

    @Test(arguments: [
      "\"Property list (Linux)\"", "\"plist\"", "\"The machine was busy when the run began: load 1.2.\"",
    ])
    func textsOfARunSteerNothing(text: String) async throws {
      let hostile = "a\u{1B}[2J\u{9B}31m\n::error title=x::pwned\r::stop-commands::y\n##[error]z"
      try example(replacing: text, with: String(decoding: JSONEncoder().encode(hostile), as: UTF8.self))
      for arguments in [
        ["report", "run"], ["compare", "run", "run"], ["advise", "run", "--records", "1000", "--reads-per-save", "5"],
      ] {
        let finished = try await workplace.start(arguments, environment: ["GITHUB_ACTIONS": "true"]).finish()
        #expect(finished.status >= 0 && finished.status < 74, "\(arguments): \(finished.errors)")
        // The report shows the backend's name instead of its specification.
        if arguments == ["report", "run"], text != "\"plist\"" { #expect(finished.output.contains("pwned")) }
        expectSteersNothing(finished)
      }
    }

    /// Names as bytes, which a `Process` cannot pass, so a shell makes them.
    @Test(arguments: [
      #"exec "$0" report "$(printf 'a\377')""#, #"exec "$0" run -w save-one -n 10 -o "$(printf 'a\377')""#,
      #"mkdir "$(printf 'a\377')" && cd "$(printf 'a\377')" && exec "$0" report x"#,
      #"mkdir "$(printf 'b\377')" && cd "$(printf 'b\377')" && exec "$0" run -w save-one -n 10 --once --allow-debug"#,
    ])
    func namesThatAreNotUTF8AreRefused(script: String) async throws {
      let finished = try await workplace.start(shell: script).finish(exits: 64)
      #expect(finished.complaints.count == 1 && finished.errors.contains("is not UTF-8"), "\(finished.errors)")
      #expect(finished.output.isEmpty)
      #expect(workplace.names.allSatisfy { (try? workplace.names(in: $0))?.isEmpty ?? true })
    }

    /// The first of the files that `scripts/lab fuzz-run-files 11000` alters, and that `fuzz-data-files` makes. Number 157
    /// of the altered ones once crashed the program.
    @Test(
      .timeLimit(.minutes(10)),
      arguments: [("fuzz-run-files", "300", "altered"), ("fuzz-data-files", "8", "data")])
    func strangeFilesCrashNothing(task: String, count: String, kind: String) async throws {
      let finished = try await workplace.start(
        [task, count, "1"], program: "lab", from: Program.root.appendingPathComponent("scripts"),
        environment: ["BENCH": Program.bench]
      ).finish(exits: 0)
      #expect(finished.output.contains("\(count) \(kind) files, seed 1: 0 failed"))
    }

    private static let name = "\"Caf\u{E9}\n::error title=x::pwned\n\u{1B}[2J  FAILED fake\""

    /// Files with texts that would control a terminal, a log or a spreadsheet, with the commands that print them.
    @Test(arguments: [
      ("id,name,group\n1,\(name),a\n1,\(name),b\n", "csv", 64), ("id,name,group\n1,\(name),a\n2,\(name),b\n", "csv", 0),
      ("name,group\na,\"x\n::error title=x::pwned\"\nb,c\n", "csv", 0),
      ("name,\u{1B}[2Jx\na,b\n", "csv", 0), ("name,\"=1+1\n::warning::x\"\na,b\n", "csv", 0),
      ("name,score\na,\"\u{1B}]0;x\u{7}\n::error::x\"\n", "csv", 64),
      ("{\"name\": \"a\", \"modified\": \"\u{9B}31m\"}\n", "jsonl", 64),
    ])
    func textsOfDataSetsSteerNothing(text: String, kind: String, status: Int32) async throws {
      try workplace.write("=d.\(kind)", text)
      let finished = try await workplace.bench(
        "run --allow-debug --once -b plist,sqlite -w aggregate,find-name --dataset =d.\(kind) -o out", exits: status)
      expectSteersNothing(finished)
      guard status == 0 else { return }
      for file in ["summary.csv", "report.md", "report.html"] {
        let text = try workplace.text("out/\(file)")
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.value >= 0x20 }, "\(file)")
      }
      #expect(try Results("\(workplace.path)/out").rows.allSatisfy { $0["dataset"] == "'=d.csv" })
    }
  }
}
