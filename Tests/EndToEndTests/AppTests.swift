import Foundation
import StorageWorkloads
import Testing

/// Every workload on every backend.
extension EndToEnd.Measuring {
  @Suite struct AppTests {
    private let workplace = Workplace()

    /// Workloads with options. Each workload runs in its default options, too.
    private static let variants = [
      "four-lines:commits=each", "country-crud:lookup=key", "cascade:fan=1000", "cascade:rule=nullify",
      "cascade:rule=deny", "cascade:rule=noaction", "reclaim:compact=no", "migrate:change=rename",
      "migrate:change=drop", "migrate:change=split", "migrate:change=index", "import:by=batch",
      "import:batch=7:by=batch", "purge:by=commit:share=50%", "find-prefix:select=10%", "find-range:select=10%",
      "aggregate:where=app", "live-list:observers=10:edit=mixed",
    ]

    /// The status `ok` means that every answer is that of the model, and that after each save each list equalled a plain
    /// sort, and its update was exactly the difference.
    @Test func everyBackendComesToTheSame() async throws {
      // Only some backends can do these workloads, and make an index.
      let limited: Set = [
        "backup", "launch-cold", "launch-warm", "long-reader", "two-processes", "migrate:change=index",
      ]
      let results = try await workplace.agree(
        on: Workloads.all.map { $0.description.id } + Self.variants, "--once -n 60"
      ) { limited.contains($0["workload"]!) }
      #expect(results.trials.allSatisfy { $0.pass == .once && $0.status == .ok && $0.timing == nil })
      #expect(Set(results.trialKeys).count == results.trialKeys.count)
      let run = results.rows.filter { $0["status"] == "ok" }
      #expect(results.trials.count == run.count)
      #expect(run.allSatisfy { $0["p50_ns"] == "" && $0["processes"] == "0" })
      // Workloads with a fixed number of records report that number, although another one was requested.
      let sizes = ["four-lines": "4", "config": "1", "settings": "100", "cascade": "60"]
      for (workload, size) in sizes {
        #expect(results.rows.filter { $0["workload"] == workload }.allSatisfy { $0["records"] == size }, "\(workload)")
      }
      let indexed = Set(run.filter { $0["workload"] == "migrate:change=index" }.map(Results.backend))
      #expect(indexed.isSuperset(of: ["sqlite", "sqlite-queue", "object-graph"]) && !indexed.contains("plist"))
    }

    @Test func whatIsMeasuredIsChecked() async throws {
      // Timed and counted. Workloads that need a new store for each operation are timed with several operations.
      let results = try await workplace.run(
        "-b plist,sqlite,lmdb,memory -w four-lines,settings,relations,cascade,cascade:rule=deny,reclaim,migrate,purge",
        "-n 40 --rounds 1 --trial-time 20ms", into: "timed")
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

    @Test func aCompactedFileIsReportedSmaller() async throws {
      let results = try await workplace.run(
        "--profile counts -b sqlite -w reclaim,reclaim:compact=no -n 1k", into: "shrunk")
      let left = try results.row("sqlite/reclaim:compact=no/1000/shipped").number("file_bytes")
      #expect(try results.row("sqlite/reclaim/1000/shipped").number("file_bytes") < left * 2 / 3)
    }
  }
}
