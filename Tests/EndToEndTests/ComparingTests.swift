import Foundation
import StorageReport
import Testing

/// Gates: regressions are detected, and missing data never passes.
extension EndToEnd.Measuring {
  @Suite struct ComparingTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private static let seven = "plist,archive,defaults,sqlite,sqlite-queue,object-graph,lmdb"

    private func text(_ name: String) throws -> String {
      try String(contentsOfFile: "\(workplace.path)/\(name)", encoding: .utf8)
    }

    private func run(_ arguments: [String], program: String, with variable: (String, String)) async throws -> Finished {
      try await Program(
        URL(fileURLWithPath: "/usr/bin/env"),
        ["\(variable.0)=\(variable.1)", Program.products.appendingPathComponent(program).path] + arguments,
        in: workplace
      ).finish()
    }

    @Test func oneMoreSyncOrWritePerSaveIsSeenInEveryBackend() async throws {
      // Counted by the same program, because the allocations of a wrapper depend on the optimizer.
      func costly(_ arguments: [String], _ kind: String) async throws -> Finished {
        try await run(arguments, program: "MisbehavingBench", with: ("COSTLY", kind))
      }
      let made = try await costly(
        ["check", "c.csv", "--update", "-b", Self.seven, "-w", "save-one", "-n", "100"], "nothing")
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.output == "7 cells in c.csv\n")
      let committed = try text("c.csv")
      #expect(committed.split(separator: "\n").count == 8)
      // The same build on another file system.
      let same = try await costly(["check", "c.csv", "--scratch", "elsewhere"], "nothing")
      #expect(same.status == 0, "\(same.output)\(same.errors)")
      #expect(same.output.hasPrefix("7 of 7 cells with equal counts."))
      #expect(workplace.names == ["c.csv"])
      for (kind, metrics) in [("sync", ["syncs"]), ("write", ["bytes", "writes"]), ("nothing", [])] {
        let finished = try await costly(["check", "c.csv"], kind)
        #expect(finished.status == (metrics.isEmpty ? 0 : 2), "\(kind): \(finished.output)\(finished.errors)")
        let lines = finished.output.split(separator: "\n").filter { $0.hasPrefix("MORE") }
        #expect(lines.count == (metrics.isEmpty ? 0 : 7), "\(finished.output)")
        for backend in Self.seven.split(separator: ",") where !metrics.isEmpty {
          // Long lines are wrapped.
          #expect(finished.output.unwrapped.contains("\(backend)/save-one/100/shipped: "))
        }
        for metric in metrics { #expect(finished.output.unwrapped.components(separatedBy: "\(metric) ").count >= 8) }
      }
      #expect(try text("c.csv") == committed)
    }

    @Test func whatIsLowerIsLockedInByUpdating() async throws {
      _ = try await workplace.bench("check", "c.csv", "--update", "-b", "plist,lmdb", "-w", "save-one", "-n", "10")
      let exact = try text("c.csv")
      try workplace.write("c.csv", Data(exact.replacing("syncs=8", with: "syncs=9").utf8))
      let lower = try await workplace.bench(
        "check", "c.csv", "-f", "markdown,junit,json,benchstat,bencher", "-o", "out")
      #expect(lower.status == 0)
      #expect(lower.output.contains("fewer plist/save-one/10/shipped: syncs 9 -> 8"))
      #expect(lower.output.contains("lock it in with 'check c.csv --update'"))
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(workplace.path)/out").sorted()
      #expect(
        files == [
          "base.benchstat.txt", "bencher.json", "comparison.json", "comparison.md", "head.benchstat.txt", "junit.xml",
        ])
      let updated = try await workplace.bench("check", "c.csv", "--update")
      #expect(updated.output == "plist/save-one/10/shipped: syncs=9 -> syncs=8\n2 cells in c.csv\n")
      #expect(try text("c.csv") == exact)
      // More cells, and then a part of them.
      _ = try await workplace.bench("check", "c.csv", "--update", "-b", "sqlite", "-w", "save-one", "-n", "10")
      #expect(try text("c.csv").split(separator: "\n").count == 4)
      let part = try await workplace.bench("check", "c.csv", "-b", "plist")
      #expect(part.output.hasPrefix("1 of 1 cell with equal counts."))
    }

    @Test func runsAreComparedByTheirCounts() async throws {
      let cells = ["--profile", "counts", "-b", "plist,sqlite", "-w", "save-one,read-one", "-n", "10"]
      for name in ["base", "head"] {
        _ = try await workplace.start(["run", "--allow-debug", "-q", "-o", name] + cells).finish()
      }
      let same = try await workplace.bench("compare", "base", "head")
      #expect(same.status == 0, "\(same.output)\(same.errors)")
      #expect(same.output.hasPrefix("4 of 4 cells with equal counts."))
      let trials = try text("head/trials.jsonl")
      let more = trials.replacing("\"syncs_settled\":8,", with: "\"syncs_settled\":9,")
      try #require(more != trials)
      let plan = try text("head/plan.json")
      let rows: [(name: String, text: String, status: Int32, sentence: String)] = [
        ("trials.jsonl", more, 2, "MORE plist/save-one/10/shipped: syncs 8 -> 9"),
        // If the last line is truncated, the rest is used, but the cell of that line does not pass.
        ("trials.jsonl", String(trials.dropLast(40)), 64, "lacks"),
        ("trials.jsonl", trials + trials.prefix(100), 0, "The last line of trials.jsonl is cut off and was dropped."),
        ("trials.jsonl", "", 64, "has no trial: trials.jsonl is empty"),
        ("plan.json", plan.replacing("\"seed\" : 1", with: "\"seed\" : 2"), 64, "has seed 1 and"),
      ]
      for (name, text, status, sentence) in rows {
        try workplace.write("head/trials.jsonl", Data(trials.utf8))
        try workplace.write("head/\(name)", Data(text.utf8))
        let finished = try await workplace.bench("compare", "base", "head")
        #expect(finished.status == status, "\(finished.output)\(finished.errors)")
        #expect((finished.output + finished.errors).contains(sentence), "\(finished.errors)")
        if status == 64 { #expect(finished.complaints.count == 1) }
      }
      _ = try await workplace.start(
        [
          "run", "--allow-debug", "-q", "-o", "fewer", "--profile", "counts", "-b", "plist", "-w", "save-one", "-n",
          "10",
        ]
      ).finish()
      let lacking = try await workplace.bench("compare", "base", "fewer")
      #expect(lacking.status == 64)
      #expect(lacking.errors.contains("fewer lacks"))
      let wider = try await workplace.bench("compare", "fewer", "base")
      #expect(wider.status == 0)
      #expect(wider.output.contains("3 cells are new and compared with nothing"))
    }

    @Test func shardsMergedAreTheWholeRun() async throws {
      // Only backends whose counts repeat exactly.
      let backends = Tried.backends.filter { $0.description.isDeterministic }.map { $0.description.id }
      let cells = [
        "--profile", "counts", "-b", backends.joined(separator: ","), "-w", "save-one,read-one,import", "-n", "10",
      ]
      func run(_ name: String, _ more: String...) async throws {
        let finished = try await workplace.start(["run", "--allow-debug", "-q", "-o", name] + cells + more).finish()
        #expect(finished.status == 0, "\(finished.errors)")
      }
      try await run("whole")
      let names = (1...4).map { "shard\($0)" }
      for number in 1...4 { try await run(names[number - 1], "--shard", "\(number)/4") }
      let merged = try await workplace.start(["merge"] + names.reversed() + ["-o", "merged"]).finish()
      #expect(merged.status == 0, "\(merged.errors)")
      let (whole, parts) = try (Results("\(workplace.path)/whole"), Results("\(workplace.path)/merged"))
      #expect(whole.rows.count == parts.rows.count)
      let exact = [
        "backend", "workload", "records", "durability", "level", "status", "counted_operations", "bytes_written",
        "bytes_written_settled", "write_calls", "syncs", "syncs_settled", "file_bytes", "digest", "stream_hash",
      ]
      // The order of the rows is the same, too.
      for (left, right) in zip(whole.rows, parts.rows) {
        for column in exact { #expect(left[column] == right[column], "\(column) of \(Results.name(left))") }
      }
      let compared = try await workplace.bench("compare", "whole", "merged")
      #expect(compared.status == 0, "\(compared.output)\(compared.errors)")
      let partial = try await workplace.bench("merge", "shard1", "shard2", "-o", "partial")
      #expect(partial.errors.contains("Not all shards are here: 3/4, 4/4 missing."))
      #expect(partial.status == 3)
      let twice = try await workplace.bench("merge", "shard1", "shard1", "-o", "twice")
      #expect(twice.status == 64)
      #expect(twice.errors.contains("both have"))
      _ = try await workplace.start(
        ["run", "--allow-debug", "-q", "-o", "seeded", "--shard", "2/4", "--seed", "9"] + cells
      ).finish()
      let mixed = try await workplace.bench("merge", "shard1", "seeded", "-o", "mixed")
      #expect(mixed.status == 64)
      #expect(mixed.errors.contains("the runs have different plans: the seed of"))
      #expect(!workplace.names.contains("mixed"))
    }

    @Test func rulesAreBrokenOrCannotBeJudged() async throws {
      _ = try await workplace.run(
        "-b", "sqlite", "-w", "save-one", "-n", "10", "--rounds", "1", "--trial-time", "1ms", into: "run")
      try workplace.write("r.yaml", Data("rules:\n  - sqlite/save-one/10/shipped syncs < 4\n".utf8))
      let broken = try await workplace.bench("check", "r.yaml", "run", "-f", "github-annotations")
      #expect(broken.status == 2)
      #expect(broken.output.contains("::error title=storage-bench%3A BROKEN::sqlite/save-one/10/shipped syncs < 4"))
      try workplace.write("r.yaml", Data("rules:\n  - sqlite/save-one/10/shipped p50 < 1h\n".utf8))
      let open = try await workplace.bench("check", "r.yaml", "run")
      #expect(open.status == 3)
      #expect(open.output.contains("rests on 1 round"))
    }

    @Test func rulesAreMeasuredAndJudgedInOneCommand() async throws {
      let rules = [
        "{sqlite,plist}/save-one/100/shipped amplification <= 180", "sqlite*/save-one/100/crash syncs == 0",
        "sqlite/save-one/100/shipped bytes <= 2 x lmdb/*/*/*",
      ].map { $0.hasPrefix("{") ? "'\($0)'" : $0 }
      try workplace.write("r.yaml", Data("rules:\n\(rules.map { "  - \($0)\n" }.joined())".utf8))
      func check(_ kind: String, _ more: String...) async throws -> Finished {
        try await run(["check", "r.yaml", "--run"] + more, program: "MisbehavingBench", with: ("COSTLY", kind))
      }
      let kept = try await check("nothing", "-f", "junit", "-o", "out")
      #expect(kept.status == 0, "\(kept.output)\(kept.errors)")
      #expect(kept.output.hasPrefix("3 of 3 rules kept."))
      let cases = try text("out/junit.xml").components(separatedBy: "<testcase ").count - 1
      #expect(cases == 3, "one test case for each rule")
      // Nothing of the run is kept.
      #expect(workplace.names == ["out", "r.yaml"])
      // Each save writes 4,096 bytes more than it needs.
      let broken = try await check("write")
      #expect(broken.status == 2, "\(broken.output)\(broken.errors)")
      let marks = broken.output.split(separator: "\n").filter { $0.hasPrefix("BROKEN") }
      #expect(marks.count == 1, "\(broken.output)")
      // Long lines are wrapped.
      #expect(
        broken.output.unwrapped.contains(
          /BROKEN \{sqlite,plist\}\/save-one\/100\/shipped amplification <= 180: [a-z]+\/save-one\/100\/shipped: [0-9.]+ against 180 \(\+[0-9.]+ %\); broken in 2 of 2 cells/
        ), "\(broken.output)")
      let synced = try await check("sync")
      #expect(synced.status == 2 && synced.output.unwrapped.contains("BROKEN sqlite*/save-one/100/crash syncs == 0: "))
    }

    @Test(arguments: [
      (["check", "r.yaml", "--run", "run"], "--run measures the cells itself and takes no directory"),
      (["check", "r.yaml", "--run", "-b", "plist"], "the rules name the cells: leave out -b"),
      (["check", "r.yaml", "--run", "--skip", "*"], "the rules name the cells: leave out --skip"),
      (["check", "r.yaml", "-b", "plist"], "the rules name the cells: leave out -b"),
      (["check", "r.yaml", "--rounds", "2"], "leave out --rounds, or add --run"),
      (["check", "r.yaml", "--allow-debug"], "--allow-debug belongs to --run"),
      (["check", "c.csv", "--run"], "--run and --allow-debug apply only to rules (.yaml)"),
    ])
    func whatRulesCannotMeasureIsRefused(arguments: [String], message: String) async throws {
      try workplace.write("r.yaml", Data("rules:\n  - plist/save-one/10/shipped syncs == 1\n".utf8))
      try await workplace.expectRefused(arguments, message)
    }

    @Test func rulesAboutTimesAreTimed() async throws {
      try workplace.write("r.yaml", Data("rules:\n  - plist/read-one/10/- p50 < 1h\n".utf8))
      let arguments = ["check", "r.yaml", "--run", "--trial-time", "1ms", "--allow-debug"]
      let finished = try await workplace.start(arguments).finish()
      #expect(
        finished.status == 0 && finished.output.hasPrefix("1 of 1 rule kept."), "\(finished.output)\(finished.errors)")
      let few = try await workplace.start(arguments + ["--rounds", "2"]).finish()
      #expect(few.status == 3 && few.output.contains("rests on 2 rounds"), "\(few.output)\(few.errors)")
    }

    @Test func pairsAreRunAndReported() async throws {
      let bench = Program.products.appendingPathComponent("storage-bench").path
      let arguments = [
        "-b", "memory", "-w", "read-one,save-one", "-n", "10", "--rounds", "6", "--trial-time", "2ms", "--allow-debug",
      ]
      let finished = try await workplace.start(
        ["paired", "--base", bench, "--head", bench, "--unjudged", "warn", "-o", "pairs"] + arguments
      ).finish()
      // A busy machine judges nothing and a short trial little, but no comparison fails, because both sides are equal.
      #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
      #expect(
        Set(try FileManager.default.contentsOfDirectory(atPath: "\(workplace.path)/pairs")).isSuperset(
          of: ["base", "head", "control", "probes.jsonl", "comparison.json", "comparison.md"]))
      let comparison = try JSONDecoder().decode(Comparison.self, from: Data(text("pairs/comparison.json").utf8))
      #expect(comparison.judgements.map(\.name) == ["memory/read-one/10/-", "memory/save-one/10/shipped"])
      // Six pairs, or 18 if they scatter.
      #expect(comparison.judgements.allSatisfy { [6, 18].contains($0.time?.pairs) })
      #expect(comparison.method?.control.count == 2)
      let base = try Results.trials("\(workplace.path)/pairs/base")
      #expect(base.filter { $0.pass == .timed }.count >= 12)
      #expect(try text("pairs/probes.jsonl").split(separator: "\n").count >= 7)
      // The injected slowdown must be detected, unless the machine is too busy to judge.
      let drill = try await workplace.start(
        ["paired", "--base-backend", "memory", "-o", "drill", "--inject", "3@*read*"] + arguments
      ).finish()
      #expect([2, 3].contains(drill.status), "\(drill.output)\(drill.errors)")
      if drill.status == 2 { #expect(drill.output.contains("SLOWER memory/read-one/10/-")) }
    }

    @Test(arguments: [
      (["paired"], "paired has nothing to compare"),
      (["paired", "--base", "nowhere", "--head", "nowhere"], "--base: nowhere does not exist"),
      (
        ["paired", "--base", "/bin/true", "--head", "/bin/true"], "--base: /bin/true does not answer as a storage-bench"
      ),
      (["paired", "--base-backend", "sqlite", "-b", "sqlite,lmdb", "--allow-debug"], "names 2 backends"),
      (["paired", "--base-backend", "sqlit", "-b", "sqlite", "--allow-debug"], "unknown backend 'sqlit'"),
      (
        ["paired", "--base-backend", "sqlite", "-b", "lmdb", "--rounds", "5", "--allow-debug"],
        "an interval needs at least 6 rounds"
      ),
      (["paired", "--base-backend", "sqlite", "-b", "lmdb", "--budget", "5m", "--rounds", "8"], "both set the number"),
      (["paired", "--base-backend", "sqlite", "-b", "lmdb", "--unjudged", "pass"], "unknown choice 'pass'"),
      (["paired", "--base-backend", "sqlite", "-b", "lmdb", "--margin", "5%@x", "--allow-debug"], "matches no cell"),
      (
        ["paired", "--base-backend", "sqlite", "-b", "lmdb", "--inject", "101", "--allow-debug"],
        "--inject '101' is not usable; give a factor above 1, at most 100"
      ),
      (["noise", "-w", "read-one", "-n", "10", "-b", "null", "--rounds", "3", "--allow-debug"], "at least 6 rounds"),
      (["merge", "nowhere", "-o", "m"], "nowhere does not exist"),
      (["compare", "nowhere", "nowhere"], "nowhere does not exist"),
      (["compare", "a"], "Missing expected argument"),
      (["check", "r.yaml"], "r.yaml does not exist"), (["check", "c.txt"], "neither costs nor rules"),
      (["check", "c.csv", "--max-increase", "byte=3"], "c.csv does not exist"),
      (["check", "c.csv", "-f", "xls"], "unknown format 'xls'"),
    ])
    func whatCannotBeUsedIsRefused(arguments: [String], sentence: String) async throws {
      try await workplace.expectRefused(arguments, sentence)
    }
  }
}
