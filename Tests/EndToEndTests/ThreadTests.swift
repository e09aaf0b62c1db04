import Foundation
import StorageContract
import StorageReport
import Testing

/// The workloads with several threads, and the one that is rolled back, on every backend.
extension EndToEnd.Enduring {
  @Suite struct ThreadTests {
    private static let workloads = [
      "rollback", "transfer:threads=4", "readers-writer:readers=4", "readers-writer:readers=2:role=writer",
      "app-log:threads=3",
    ]

    @Test func everyBackendAgreesWithTheModel() async throws {
      let workplace = try Workplace()
      let results = try await workplace.run(
        "-b", "\(Tried.list),sqlite-queue:pool=yes", "-w",
        Self.workloads.joined(separator: ","), "-n", "24", "--rounds", "1", "--trial-time", "5ms", into: "run")
      #expect(results.rows.count == (Tried.backends.count + 1) * Self.workloads.count)
      for row in results.rows {
        let name = "\(Results.name(row)), threads \(row["threads"] ?? "")"
        #expect(row["status"] == "ok", "\(name): \(row["note"] ?? "")")
        #expect(row["p50_ns"]?.isEmpty == false, "\(name)")
        #expect(row["ops_per_s"]?.isEmpty == false, "\(name)")
        #expect(row["digest"]?.isEmpty == (row["backend"] == "null"), "\(name)")
      }
      // Every backend does the same work and has the same final state.
      let verified = results.rows.filter { $0["backend"] != "null" }
      for (key, rows) in Dictionary(grouping: verified, by: { "\($0["workload"]!) \($0["threads"]!)" }) {
        #expect(Set(rows.map { $0["digest"] }).count == 1, "\(key)")
        #expect(Set(rows.map { $0["stream_hash"] }).count == 1, "\(key)")
      }
      // Backends with a native way to share a store are native in workloads with threads.
      func fidelity(_ backend: String, _ workload: String, _ threads: String) -> String? {
        results.rows.first {
          $0["backend"] == backend && $0["workload"] == workload && $0["threads"] == threads
        }?["fidelity"]
      }
      for backend in ["sqlite", "sqlite-queue", "lmdb"] {
        #expect(fidelity(backend, "rollback", "1") == "native", "\(backend)")
        #expect(fidelity(backend, "transfer", "4") == "native", "\(backend)")
        #expect(fidelity(backend, "readers-writer:readers=4", "1") == "native", "\(backend)")
      }
      #expect(fidelity("object-graph", "transfer", "4") == "work-alike")
      for backend in ["plist", "archive", "defaults", "memory"] {
        #expect(fidelity(backend, "transfer", "4") == "emulated", "\(backend)")
        #expect(fidelity(backend, "rollback", "1") == "emulated", "\(backend)")
      }
    }

    /// The log of SQLite, also in GRDB's pool and in the object graph, and the file of LMDB keep all changes meanwhile.
    @Test func aHeldSnapshotMakesTheStoreGrow() async throws {
      let stores = ["sqlite:journal=wal", "sqlite-queue:pool=yes", "object-graph", "lmdb"]
      let results = try await Workplace().run(
        "--profile", "counts", "-b", "\(stores.joined(separator: ",")),sqlite,sqlite-queue,plist", "-w",
        "long-reader,long-reader:held=no", "-n", "1000", "--durability", "shipped", into: "run")
      func bytes(_ store: String, _ workload: String) throws -> Double {
        let row = try #require(
          results.rows.first {
            [$0["backend"]!, $0["options"]!].filter { !$0.isEmpty }.joined(separator: ":") == store
              && $0["workload"] == workload
          })
        #expect(row["status"] == "ok", "\(store): \(row["note"] ?? "")")
        return try #require(row["findings"]?.firstMatch(of: #/store_bytes=(\d+)/#).flatMap { Double($0.1) })
      }
      for store in stores {
        #expect(try bytes(store, "long-reader") > 1.8 * bytes(store, "long-reader:held=no"), "\(store)")
      }
      let others = results.rows.filter { $0["status"] != "ok" }
      #expect(others.count == 6)
      for row in others { #expect(row["note"] == "a save would wait until the reader has ended") }
    }

    @Test func theFlagAndTheOptionAreOne() async throws {
      let workplace = try Workplace()
      let flag = try await workplace.run(
        "-b", "memory", "-w", "transfer,app-log:threads=2", "--threads", "4", "-n", "10", "--once", into: "flag")
      #expect(flag.rows.map { "\($0["workload"]!) \($0["threads"]!)" }.sorted() == ["app-log 2", "transfer 4"])
      let refused = try await workplace.bench(
        "run", "--allow-debug", "-w", "save-one", "--threads", "4", "-o", "refused")
      #expect(refused.status == 64)
      #expect(refused.errors.contains("--threads 4: no workload of this run supports several threads"))
    }

    @Test func aBackendThatMixesUpThreadsIsFound() async throws {
      let workplace = try Workplace()
      let results = try await workplace.misbehave(
        "-w", Self.workloads.joined(separator: ","), "-n", "4", "--rounds", "1", "--trial-time", "200ms", "-b",
        "reads-half-done,loses-races,shares-carelessly,cannot-roll-back,honest")
      func note(_ backend: String, _ workload: String, _ threads: String = "1") -> String {
        let row = results.rows.first {
          $0["backend"] == backend && $0["workload"] == workload && $0["threads"] == threads
        }
        return row.map { "\($0["status"]!): \($0["note"]!)" } ?? "no row"
      }
      for workload in ["readers-writer:readers=4", "readers-writer:readers=2:role=writer"] {
        #expect(note("reads-half-done", workload).hasSuffix("of the same snapshot: the read was torn"))
      }
      // Either the sum is wrong, or two transfers were lost as a whole and the sum is correct by chance.
      #expect(note("loses-races", "transfer", "4").hasPrefix("failed: "))
      #expect(note("shares-carelessly", "transfer", "4").hasPrefix("failed: all accounts together hold "))
      #expect(
        note("cannot-roll-back", "rollback") == "failed: record 5 is there although its insertion was rolled back")
      for row in results.rows where row["backend"] == "honest" {
        #expect(row["status"] == "ok", "\(Results.name(row)): \(row["note"] ?? "")")
      }
    }
  }
}
