import Foundation
import StorageBackends
import StorageContract
import Testing

/// The costs of queries, and large values on every backend.
extension EndToEnd.Measuring {
  @Suite struct QueryTests {
    private let workplace = Workplace()

    /// For linked records, faulting reads one by one what prefetching reads at once. The displayed pages and the final
    /// store are the same.
    @Test func statementsAreCounted() async throws {
      let results = try await workplace.run(
        "--profile counts -b sqlite,sqlite-queue,object-graph,object-graph:store=binary,lmdb",
        "-w save-one,relations,relations:fetch=prefetch,relations:fetch=join -n 300", into: "run")
      func statements(_ backend: String, _ workload: String) throws -> Double? {
        let row = try #require(results.rows.first { Results.backend($0) == backend && $0["workload"] == workload })
        guard let statements = Double(row["statements"] ?? "") else { return nil }
        return statements / (try #require(Double(row["counted_operations"] ?? "")))
      }
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

    @Test func anIndexSparesReading() async throws {
      let results = try await workplace.run(
        "--profile counts -b sqlite:connection=per-operation -w find-name,find-name:index=yes -n 5k", into: "run")
      let read = try ["find-name", "find-name:index=yes"].map { workload in
        let row = try results.row("sqlite:connection=per-operation/\(workload)/5000/-")
        return try row.number("bytes_read") / row.number("counted_operations")
      }
      #expect(read[0] > 800_000 && read[1] < read[0] / 10, "\(read)")
    }

    @Test func valuesAreKeptByEveryBackend() async throws {
      let workloads = [
        "value-size:place=beside", "value-size:bytes=10k", "value-size:bytes=10k:place=beside",
        "value-size:bytes=10k:do=read", "value-size:bytes=10k:place=beside:do=read",
        "value-size:bytes=10k:do=read:together=10",
      ]
      // The null backend has no file that a read could return.
      let results = try await workplace.agree(on: workloads, "--once -n 30") { $0["backend"] == "null" }
      #expect(results.rows.count { $0["status"] != "ok" } == 1)
    }

    @Test func aFileBesideIsWrittenOnce() async throws {
      let results = try await workplace.run(
        "--profile counts -b plist,sqlite -w value-size:bytes=100k,value-size:bytes=100k:place=beside -n 100",
        "--durability durable", into: "run")
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
  }
}
