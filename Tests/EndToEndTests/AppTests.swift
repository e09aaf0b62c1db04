import Foundation
import StorageBackends
import Testing

/// Workloads of whole apps and models, on every backend and on faulty ones.
extension EndToEnd.Measuring {
  @Suite struct AppTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private static let workloads = [
      "four-lines", "four-lines:commits=each", "settings", "config", "country-crud", "country-crud:lookup=key",
      "relations", "cascade", "cascade:fan=1000", "cascade:rule=nullify", "cascade:rule=deny",
      "cascade:rule=noaction", "reclaim", "reclaim:compact=no", "migrate", "migrate:change=rename",
      "migrate:change=drop", "migrate:change=split", "import:by=batch", "import:batch=7:by=batch", "purge",
      "purge:by=commit:share=50%",
    ]

    @Test func everyBackendComesToTheSame() async throws {
      let results = try await workplace.agree(on: Self.workloads, "--once", "-n", "40")
      // Workloads with a fixed number of records report that number, although another one was requested.
      let sizes = ["four-lines": "4", "config": "1", "settings": "100", "cascade": "40"]
      for (workload, size) in sizes {
        #expect(results.rows.filter { $0["workload"] == workload }.allSatisfy { $0["records"] == size }, "\(workload)")
      }
    }

    @Test func whatIsMeasuredIsChecked() async throws {
      // Timed and counted. Workloads that need a new store for each operation are timed with several operations.
      let results = try await workplace.run(
        "-b", "plist,sqlite,lmdb,memory", "-w",
        "four-lines,settings,relations,cascade,cascade:rule=deny,reclaim,migrate,purge",
        "-n", "40", "--rounds", "1", "--trial-time", "20ms", into: "timed")
      #expect(results.rows.count == 32)
      for row in results.rows {
        let name = Results.name(row)
        #expect(row["status"] == "ok", "\(name): \(row["note"] ?? "")")
        #expect(try row.number("operations") >= 1, "\(name)")
        // Operations that are timed in batches have a fractional time.
        #expect(Double(row["p50_ns"] ?? "") ?? 0 > 0, "\(name)")
        #expect(try row.number("bytes_changed") > 0, "\(name)")
        #expect(row["settings"]?.isEmpty == false, "\(name)")
      }
      let reset = results.trials.filter { $0.pass == .timed && $0.cell.workload.id == "migrate" }
      #expect(reset.contains { ($0.timing?.operations ?? 0) > 1 })
      #expect(
        try results.row("plist/cascade/40/shipped")["digest"]
          != results.row("plist/cascade:rule=deny/40/shipped")["digest"])
    }

    @Test func anIndexIsMadeWhereThereAreAny() async throws {
      let results = try await workplace.agree(
        on: ["migrate:change=index"], "--once", "-n", "40", backends: "plist,sqlite,sqlite-queue,object-graph",
        unavailable: 1)
      #expect(results.rows.first { $0["status"] != "ok" }?["backend"] == "plist")
    }

    @Test func aCompactedFileIsReportedSmaller() async throws {
      let results = try await workplace.run(
        "--profile", "counts", "-b", "sqlite", "-w", "reclaim,reclaim:compact=no", "-n", "1k", into: "shrunk")
      let left = try results.row("sqlite/reclaim:compact=no/1000/shipped").number("file_bytes")
      #expect(try results.row("sqlite/reclaim/1000/shipped").number("file_bytes") < left * 2 / 3)
    }

    @Test(arguments: [
      ("forgets-links", "relations", "is missing"), ("purges-too-much", "purge", "record 40 is missing"),
      ("cannot-roll-back", "rollback", "record 41 is there although its insertion was rolled back"),
      ("shares-carelessly", "transfer:threads=4", "all accounts together hold "),
      ("scans-backwards", "mix:scan=100:dist=uniform", "has a wrong id"),
    ])
    func aWrongBackendIsCaught(backend: String, workload: String, words: String) async throws {
      let results = try await workplace.misbehave(
        "-b", "honest,\(backend)", "-w", workload, "-n", "40", "--rounds", "1", "--trial-time", "200ms")
      for row in results.rows {
        let isWrong = row["backend"] == backend
        #expect(row["status"] == (isWrong ? "failed" : "ok"), "\(row["note"] ?? "")")
        if isWrong { #expect(row["note"]?.contains(words) == true, "\(row["note"] ?? "")") }
      }
    }
  }
}
