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
      let results = try await workplace.run(
        "--once", "-b", Tried.list, "-w", Self.workloads.joined(separator: ","), "-n", "40", into: "all")
      #expect(results.rows.count == Tried.backends.count * Self.workloads.count)
      for (workload, rows) in Dictionary(grouping: results.rows, by: { $0["workload"] ?? "" }) {
        #expect(rows.allSatisfy { $0["status"] == "ok" }, "\(workload)")
        #expect(Set(rows.compactMap { $0["stream_hash"] }).count == 1, "\(workload)")
        let digests = rows.filter { $0["backend"] != "null" }.compactMap { $0["digest"] }
        #expect(
          digests.count == Tried.backends.count - 1 && Set(digests).count == 1 && !digests.contains(""),
          "\(workload): \(digests)")
      }
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

    @Test func indexesAndTablesAreMadeWhereThereAreAny() async throws {
      let results = try await workplace.run(
        "--profile", "counts", "-b", "plist,sqlite,sqlite-queue,object-graph", "-w",
        "migrate:change=index,migrate:change=rebuild", "-n", "40", into: "schema")
      for row in results.rows {
        let name = Results.name(row)
        let isMade = name.contains("sqlite") || name == "object-graph/migrate:change=index/40/shipped"
        #expect(row["status"] == (isMade ? "ok" : "n/a"), "\(name): \(row["note"] ?? "")")
      }
    }

    @Test func aFileThatShrinksShowsIt() async throws {
      let results = try await workplace.run(
        "--profile", "counts", "-b", "plist,sqlite,sqlite-queue,object-graph", "-w", "reclaim,reclaim:compact=no",
        "-n", "1k", into: "shrunk")
      for backend in ["plist", "sqlite", "sqlite-queue", "object-graph"] {
        let (left, compacted) = (
          try results.row("\(backend)/reclaim:compact=no/1000/shipped").number("file_bytes"),
          try results.row("\(backend)/reclaim/1000/shipped").number("file_bytes")
        )
        // A file that is written as a whole has no free space to release.
        if backend == "plist" { #expect(left == compacted) } else { #expect(compacted < left * 2 / 3, "\(backend)") }
      }
    }

    @Test(arguments: [
      ("forgets", "four-lines", "wrong name"), ("forgets", "config", "wrong payload"),
      ("reads-stale", "settings", "wrong payload"), ("loses-update", "settings", "wrong payload"),
      ("keeps-deleted", "country-crud", "record 1 is there but should not be"),
      ("keeps-deleted", "country-crud:lookup=key", "record 1 is there but should not be"),
      ("forgets-links", "relations", "is missing"),
      ("forgets-links", "cascade", "40 students are left where there should be 30"),
      ("mistakes-rules", "cascade", "40 students are left where there should be 30"),
      ("mistakes-rules", "cascade:rule=nullify", "30 students are left where there should be 40"),
      ("mistakes-rules", "cascade:rule=deny", "record 1 was deleted; the delete rule 'deny' must refuse the deletion"),
      ("compacts-too-much", "reclaim", "record 40 is missing"), ("keeps-deleted", "reclaim", "record 1 is there"),
      ("purges-too-much", "purge", "record 40 is missing"),
      ("keeps-deleted", "purge", "is there but should not be"),
      ("forgets-defaults", "migrate", "record 1 has a wrong favourite"),
    ])
    func aWrongBackendIsCaught(backend: String, workload: String, words: String) async throws {
      let results = try await workplace.misbehave("--once", "-b", "honest,\(backend)", "-w", workload, "-n", "40")
      for row in results.rows {
        let isWrong = row["backend"] == backend
        #expect(row["status"] == (isWrong ? "failed" : "ok"), "\(row["note"] ?? "")")
        if isWrong { #expect(row["note"]?.contains(words) == true, "\(row["note"] ?? "")") }
      }
    }
  }
}
