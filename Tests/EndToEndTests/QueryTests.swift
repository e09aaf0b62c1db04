import Foundation
import StorageBackends
import StorageContract
import Testing

/// The workloads with queries and with large values, on every backend.
extension EndToEnd.Measuring {
  @Suite struct QueryTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// The engines that answer queries themselves, or by indexes that apps keep in them. The object graph is treated separately.
    private static let native = ["sqlite", "sqlite-queue", "lmdb", "mdbx"]
    private static let asking = [
      "find-name", "find-prefix:select=10%", "find-range:select=10%", "page-sorted", "sections", "aggregate",
    ]

    /// Each row must be correct (`ok` means that every answer is that of the model), must state whether it is native or
    /// emulated, and must have the same final state.
    @Test func questionsAreAnsweredByEveryBackend() async throws {
      let results = try await workplace.run(
        "--once", "-b", Tried.list, "-w", Self.asking.joined(separator: ",") + ",aggregate:where=app", "-n", "90",
        into: "run")
      #expect(results.rows.count == Tried.backends.count * (Self.asking.count + 1))
      for row in results.rows {
        let (name, backend) = (Results.name(row), try #require(row["backend"]))
        #expect(row["status"] == "ok", "\(name): \(row["note"] ?? "")")
        #expect((row["digest"] == "") == (backend == "null"), "\(name)")
        #expect(row["durability"] == "" && row["level"] == "", "\(name)")
        let expected =
          backend == "object-graph"
          ? "work-alike"
          : Self.native.contains(backend) || row["workload"] == "aggregate:where=app" ? "native" : "emulated"
        #expect(row["fidelity"] == expected, "\(name)")
      }
      #expect(Set(results.rows.compactMap { $0["digest"] }.filter { !$0.isEmpty }).count == 1)
      for (workload, rows) in Dictionary(grouping: results.rows, by: { $0["workload"]! }) {
        #expect(Set(rows.map { $0["stream_hash"] }).count == 1, "\(workload)")
      }
    }

    /// Statements are counted exactly. A save is one statement in SQLite, and a fetch and an update in the object
    /// graph; GRDB adds a transaction. For linked records, faulting reads one by one what prefetching reads at once.
    /// The displayed pages and the final store are the same.
    @Test func statementsAreCounted() async throws {
      let results = try await workplace.run(
        "--profile", "counts", "-b", "sqlite,sqlite-queue,object-graph,object-graph:store=binary,lmdb", "-w",
        "save-one,relations,relations:fetch=prefetch,relations:fetch=join", "-n", "300", into: "run")
      func row(_ backend: String, _ workload: String) throws -> [String: String] {
        try #require(results.rows.first { Results.name($0).hasPrefix("\(backend)/") && $0["workload"] == workload })
      }
      func statements(_ backend: String, _ workload: String) throws -> Double? {
        let row = try row(backend, workload)
        guard let statements = Double(row["statements"] ?? "") else { return nil }
        return statements / (try #require(Double(row["counted_operations"] ?? "")))
      }
      #expect(try statements("sqlite", "save-one") == 1)
      #expect(try statements("sqlite-queue", "save-one") == 3)
      #expect(try statements("object-graph", "save-one") == 2)
      #expect(try statements("lmdb", "save-one") == nil && statements("object-graph:store=binary", "save-one") == nil)
      let (faults, prefetch, join) = (
        try #require(try statements("object-graph", "relations")),
        try #require(try statements("object-graph", "relations:fetch=prefetch")),
        try #require(try statements("object-graph", "relations:fetch=join"))
      )
      #expect(faults > 1.5 * prefetch && faults > 1.5 * join, "\(faults), \(prefetch), \(join)")
      let shown = results.rows.filter { $0["workload"]?.hasPrefix("relations") == true && $0["status"] == "ok" }
      #expect(shown.count == 5 + 4 && Set(shown.map { $0["digest"] }).count == 1)
      for row in results.rows where row["workload"]?.hasPrefix("relations:") == true {
        #expect(row["status"] == (row["backend"] == "object-graph" ? "ok" : "n/a"), "\(Results.name(row))")
      }
    }

    @Test func anIndexIsForThoseThatHaveOne() async throws {
      let workloads = [
        "find-name:index=yes", "find-prefix:select=10%:index=yes", "find-range:select=10%:index=yes",
        "page-sorted:index=yes",
      ]
      let results = try await workplace.run(
        "--once", "-b", "\(Tried.list),object-graph:store=xml,object-graph:store=memory", "-w",
        workloads.joined(separator: ","), "-n", "90", into: "run")
      #expect(results.rows.count == (Tried.backends.count + 2) * workloads.count)
      for row in results.rows {
        let (name, backend) = (Results.name(row), try #require(row["backend"]))
        guard backend == "object-graph" || Self.native.contains(backend) else {
          #expect(row["status"] == "n/a", "\(name)")
          #expect(row["note"]?.contains("index=no") == true, "\(name)")
          continue
        }
        #expect(row["status"] == "ok", "\(name): \(row["note"] ?? "")")
      }
    }

    @Test func anIndexSparesReading() async throws {
      let results = try await workplace.run(
        "--profile", "counts", "-b", "sqlite:connection=per-operation", "-w",
        "find-name,find-name:index=yes", "-n", "5k", into: "run")
      func bytesRead(_ name: String) throws -> Int {
        let row = try results.row(name)
        return try row.number("bytes_read") / row.number("counted_operations")
      }
      let scan = try bytesRead("sqlite:connection=per-operation/find-name/5000/-")
      let lookup = try bytesRead("sqlite:connection=per-operation/find-name:index=yes/5000/-")
      #expect(scan > 800_000)
      #expect(lookup < scan / 10)
    }

    @Test func valuesAreKeptByEveryBackend() async throws {
      let workloads = [
        "value-size", "value-size:place=beside", "value-size:bytes=10k", "value-size:bytes=10k:place=beside",
        "value-size:bytes=10k:do=read", "value-size:bytes=10k:place=beside:do=read",
        "value-size:bytes=10k:do=read:together=10",
      ]
      let results = try await workplace.run(
        "--once", "-b", Tried.list, "-w", workloads.joined(separator: ","), "-n", "30", into: "run")
      #expect(results.rows.count == Tried.backends.count * workloads.count)
      for row in results.rows {
        let (name, backend) = (Results.name(row), try #require(row["backend"]))
        if backend == "null", row["workload"] == "value-size:bytes=10k:place=beside:do=read" {
          #expect(row["status"] == "n/a", "\(name)")
          continue
        }
        #expect(row["status"] == "ok", "\(name): \(row["note"] ?? "")")
        let isEmulated = name.contains("together") && !["sqlite", "sqlite-queue", "lmdb"].contains(backend)
        #expect(
          row["fidelity"] == (backend == "object-graph" ? "work-alike" : isEmulated ? "emulated" : "native"), "\(name)")
        #expect((row["level"] == "") == (row["workload"]?.contains("do=read") == true), "\(name)")
      }
      for (workload, rows) in Dictionary(grouping: results.rows, by: { $0["workload"]! }) {
        #expect(Set(rows.compactMap { $0["digest"] }.filter { !$0.isEmpty }).count == 1, "\(workload)")
      }
    }

    @Test func aFileBesideIsWrittenOnce() async throws {
      let results = try await workplace.run(
        "--profile", "counts", "-b", "plist,sqlite", "-w",
        "value-size:bytes=100k,value-size:bytes=100k:place=beside", "-n", "100", "--durability", "durable", into: "run")
      func per(_ column: String, _ backend: String, _ option: String) throws -> Int {
        let row = try results.row("\(backend)/value-size:bytes=100k\(option)/100/durable")
        return try row.number(column) / row.number("counted_operations")
      }
      // 64 values of 100 kB.
      #expect(try per("bytes_written_settled", "plist", "") > 6_400_000)
      #expect((100_000..<150_000).contains(try per("bytes_written_settled", "plist", ":place=beside")))
      #expect(try per("bytes_written_settled", "sqlite", "") > 150_000)
      #expect((100_000..<130_000).contains(try per("bytes_written_settled", "sqlite", ":place=beside")))
      // Two more syncs: of the file and of its directory.
      #expect(try per("syncs", "plist", ":place=beside") == per("syncs", "plist", "") + 2)
    }

    @Test func wrongBackendsAreCaught() async throws {
      let results = try await workplace.misbehave(
        "--once", "-b", "honest,miscounts,hides-half,wrong-order,cuts-payloads,loses-update", "-w",
        "find-name,find-prefix:select=10%,find-range:select=10%,page-sorted,sections,aggregate,value-size:bytes=1M",
        "-n", "40")
      let failed = Set(
        results.rows.filter { $0["status"] == "failed" }.map { row in
          "\(row["backend"]!) \(row["workload"]!.prefix { $0 != ":" })"
        })
      // Each fault is detected by all workloads that it affects, and by no others.
      #expect(
        failed == [
          "hides-half find-name", "hides-half find-prefix", "hides-half find-range", "hides-half page-sorted",
          "hides-half sections", "hides-half aggregate",
          "wrong-order find-prefix", "wrong-order find-range", "wrong-order page-sorted", "wrong-order sections",
          "wrong-order aggregate",
          "cuts-payloads value-size", "loses-update value-size",
        ])
    }
  }
}
