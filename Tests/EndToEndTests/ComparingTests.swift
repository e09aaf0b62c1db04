import Foundation
import StorageReport
import Testing

/// Gates: regressions are detected, and missing data never passes.
extension EndToEnd.Measuring {
  @Suite struct ComparingTests {
    private let workplace = Workplace()

    private static let seven = "plist,archive,defaults,sqlite,sqlite-queue,object-graph,lmdb"

    /// Runs backends that do more of one kind than they need.
    private func costly(_ kind: String, _ parts: String..., exits status: Int32 = 0) async throws -> Finished {
      try await workplace.bench(
        parts.flatMap(\.words), program: "MisbehavingBench", environment: ["COSTLY": kind], exits: status)
    }

    @Test func oneMoreSyncOrWritePerSaveIsSeenInEveryBackend() async throws {
      // Counted by the same program, because the allocations of a wrapper depend on the optimizer.
      let made = try await costly("nothing", "check c.csv --update -b", Self.seven, "-w save-one -n 100")
      #expect(made.output == "7 cells in c.csv\n")
      let committed = try workplace.text("c.csv")
      #expect(committed.split(separator: "\n").count == 8)
      // The same build on another file system.
      let same = try await costly("nothing", "check c.csv --scratch elsewhere")
      #expect(same.output.hasPrefix("7 of 7 cells with equal counts."))
      #expect(workplace.names == ["c.csv"])
      for (kind, metrics) in [("sync", ["syncs"]), ("write", ["bytes", "writes"])] {
        let finished = try await costly(kind, "check c.csv", exits: 2)
        let lines = finished.output.split(separator: "\n").filter { $0.hasPrefix("MORE") }
        #expect(lines.count == 7, "\(finished.output)")
        for backend in Self.seven.split(separator: ",") {
          // Long lines are wrapped.
          #expect(finished.output.unwrapped.contains("\(backend)/save-one/100/shipped: "))
        }
        for metric in metrics { #expect(finished.output.unwrapped.components(separatedBy: "\(metric) ").count >= 8) }
      }
      #expect(try workplace.text("c.csv") == committed)
    }

    @Test func whatIsLowerIsLockedInByUpdating() async throws {
      try await workplace.bench("check c.csv --update -b plist,lmdb -w save-one -n 10")
      let exact = try workplace.text("c.csv")
      try workplace.write("c.csv", exact.replacing("syncs=8", with: "syncs=9"))
      let lower = try await workplace.bench("check c.csv -f markdown,junit,json,benchstat,bencher -o out")
      #expect(lower.output.contains("fewer plist/save-one/10/shipped: syncs 9 -> 8"))
      #expect(lower.output.contains("lock it in with 'check c.csv --update'"))
      #expect(
        try workplace.names(in: "out") == [
          "base.benchstat.txt", "bencher.json", "comparison.json", "comparison.md", "head.benchstat.txt", "junit.xml",
        ])
      let updated = try await workplace.bench("check c.csv --update")
      #expect(updated.output == "plist/save-one/10/shipped: syncs=9 -> syncs=8\n2 cells in c.csv\n")
      #expect(try workplace.text("c.csv") == exact)
    }

    @Test func runsAreComparedByTheirCounts() async throws {
      for name in ["base", "head"] {
        _ = try await workplace.run("--profile counts -b plist,sqlite -w save-one,read-one -n 10", into: name)
      }
      let same = try await workplace.bench("compare base head")
      #expect(same.output.hasPrefix("4 of 4 cells with equal counts."))
      let trials = try workplace.text("head/trials.jsonl")
      let more = trials.replacing("\"syncs_settled\":8,", with: "\"syncs_settled\":9,")
      try #require(more != trials)
      let plan = try workplace.text("head/plan.json")
      let rows: [(name: String, text: String, status: Int32, sentence: String)] = [
        ("trials.jsonl", more, 2, "MORE plist/save-one/10/shipped: syncs 8 -> 9"),
        // If the last line is truncated, the rest is used, but the cell of that line does not pass.
        ("trials.jsonl", String(trials.dropLast(40)), 64, "lacks"),
        ("trials.jsonl", trials + trials.prefix(100), 0, "The last line of trials.jsonl is cut off and was dropped."),
        ("trials.jsonl", "", 64, "has no trial: trials.jsonl is empty"),
        ("plan.json", plan.replacing("\"seed\" : 1", with: "\"seed\" : 2"), 64, "has seed 1 and"),
      ]
      for (name, text, status, sentence) in rows {
        try workplace.write("head/trials.jsonl", trials)
        try workplace.write("head/\(name)", text)
        let finished = try await workplace.bench("compare base head", exits: status)
        #expect((finished.output + finished.errors).contains(sentence), "\(finished.errors)")
        if status == 64 { #expect(finished.complaints.count == 1) }
      }
      _ = try await workplace.run("--profile counts -b plist -w save-one -n 10", into: "fewer")
      let lacking = try await workplace.bench("compare base fewer", exits: 64)
      #expect(lacking.errors.contains("fewer lacks"))
      let wider = try await workplace.bench("compare fewer base")
      #expect(wider.output.contains("3 cells are new and compared with nothing"))
    }

    /// One workload has a fixed number of records.
    @Test func shardsMergedAreTheWholeRun() async throws {
      // Only backends whose counts repeat exactly.
      let backends = Tried.backends.filter { $0.description.isDeterministic }.map { $0.description.id }
      func run(_ name: String, _ more: String...) async throws -> Results {
        let cells = ["-b", backends.joined(separator: ","), "-w", "save-one,read-one,import,four-lines", "-n", "10"]
        return try await workplace.run(["--profile", "counts"] + cells + more, into: name)
      }
      let whole = try await run("whole")
      for number in 1...4 { _ = try await run("shard\(number)", "--shard", "\(number)/4") }
      try await workplace.bench("merge shard4 shard3 shard2 shard1 -o merged")
      let parts = try Results("\(workplace.path)/merged")
      #expect(whole.rows.count == parts.rows.count)
      let exact = [
        "backend", "workload", "records", "durability", "level", "status", "counted_operations", "bytes_written",
        "bytes_written_settled", "write_calls", "syncs", "syncs_settled", "file_bytes", "digest", "stream_hash",
      ]
      // The order of the rows is the same, too.
      for (left, right) in zip(whole.rows, parts.rows) {
        for column in exact { #expect(left[column] == right[column], "\(column) of \(Results.name(left))") }
      }
      try await workplace.bench("compare whole merged")
      let partial = try await workplace.bench("merge shard1 shard2 -o partial", exits: 3)
      #expect(partial.errors.contains("Not all shards are here: 3/4, 4/4 missing."))
      try await workplace.expectRefused("merge shard1 shard1 -o twice".words, "both have")
      _ = try await run("seeded", "--shard", "2/4", "--seed", "9")
      try await workplace.expectRefused(
        "merge shard1 seeded -o mixed".words, "the runs have different plans: the seed of")
    }

    @Test func aBrokenRuleIsAnAnnotation() async throws {
      _ = try await workplace.run("--profile counts -b sqlite -w save-one -n 10", into: "run")
      try workplace.write("r.yaml", "rules:\n  - sqlite/save-one/10/shipped syncs < 4\n")
      let broken = try await workplace.bench("check r.yaml run -f github-annotations", exits: 2)
      #expect(broken.output.contains("::error title=storage-bench%3A BROKEN::sqlite/save-one/10/shipped syncs < 4"))
    }

    @Test func rulesAreMeasuredAndJudgedInOneCommand() async throws {
      try workplace.write(
        "r.yaml",
        """
        rules:
          - '{sqlite,plist}/save-one/100/shipped amplification <= 180'
          - sqlite*/save-one/100/crash syncs == 0
          - sqlite/save-one/100/shipped bytes <= 2 x lmdb/*/*/*

        """)
      let kept = try await costly("nothing", "check r.yaml --run -f junit -o out")
      #expect(kept.output.hasPrefix("3 of 3 rules kept."))
      let cases = try workplace.text("out/junit.xml").components(separatedBy: "<testcase ").count - 1
      #expect(cases == 3, "one test case for each rule")
      // Nothing of the run is kept.
      #expect(workplace.names == ["out", "r.yaml"])
      // Each save writes 4,096 bytes more than it needs.
      let broken = try await costly("write", "check r.yaml --run", exits: 2)
      let marks = broken.output.split(separator: "\n").filter { $0.hasPrefix("BROKEN") }
      #expect(marks.count == 1, "\(broken.output)")
      // Long lines are wrapped.
      #expect(
        broken.output.unwrapped.contains(
          /BROKEN \{sqlite,plist\}\/save-one\/100\/shipped amplification <= 180: [a-z]+\/save-one\/100\/shipped: [0-9.]+ against 180 \(\+[0-9.]+ %\); broken in 2 of 2 cells/
        ), "\(broken.output)")
      let synced = try await costly("sync", "check r.yaml --run", exits: 2)
      #expect(synced.output.unwrapped.contains("BROKEN sqlite*/save-one/100/crash syncs == 0: "))
    }

    @Test func rulesAboutTimesAreTimed() async throws {
      try workplace.write("r.yaml", "rules:\n  - plist/read-one/10/- p50 < 1h\n")
      let arguments = "check r.yaml --run --trial-time 1ms --allow-debug".words
      let finished = try await workplace.bench(arguments)
      #expect(finished.output.hasPrefix("1 of 1 rule kept."), "\(finished.output)\(finished.errors)")
      let few = try await workplace.bench(arguments + ["--rounds", "2"], exits: 3)
      #expect(few.output.contains("rests on 2 rounds"), "\(few.output)\(few.errors)")
    }

    @Test func pairsAreRunAndReported() async throws {
      let arguments = "-b memory -w read-one,save-one -n 10 --rounds 6 --trial-time 2ms --allow-debug".words
      // A busy machine judges nothing and a short trial little, but no comparison fails, because both sides are equal.
      try await workplace.bench(
        ["paired", "--base", Program.bench, "--head", Program.bench, "--unjudged", "warn", "-o", "pairs"] + arguments)
      let names = ["base", "head", "control", "probes.jsonl", "comparison.json", "comparison.md"]
      #expect(Set(try workplace.names(in: "pairs")).isSuperset(of: names))
      let comparison = try JSONDecoder().decode(
        Comparison.self, from: Data(workplace.text("pairs/comparison.json").utf8))
      #expect(comparison.judgements.map(\.name) == ["memory/read-one/10/-", "memory/save-one/10/shipped"])
      // Six pairs, or 18 if they scatter.
      #expect(comparison.judgements.allSatisfy { [6, 18].contains($0.time?.pairs) })
      #expect(comparison.method?.control.count == 2)
      let base = try Results.trials("\(workplace.path)/pairs/base")
      #expect(base.filter { $0.pass == .timed }.count >= 12)
      #expect(try workplace.text("pairs/probes.jsonl").split(separator: "\n").count >= 7)
      // The injected slowdown must be detected, unless the machine is too busy to judge.
      let drill = try await workplace.start(
        "paired --base-backend memory -o drill --inject 3@*read*".words + arguments
      ).finish()
      #expect([2, 3].contains(drill.status), "\(drill.output)\(drill.errors)")
      if drill.status == 2 { #expect(drill.output.contains("SLOWER memory/read-one/10/-")) }
    }
  }
}
