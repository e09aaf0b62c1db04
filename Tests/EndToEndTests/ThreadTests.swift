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
      let results = try await Workplace().agree(
        on: Self.workloads, "-n 24 --rounds 1 --trial-time 5ms", backends: "\(Tried.list),sqlite-queue:pool=yes")
      for row in results.rows {
        let name = "\(Results.name(row)), threads \(row["threads"] ?? "")"
        #expect(row["p50_ns"]?.isEmpty == false, "\(name)")
        #expect(row["ops_per_s"]?.isEmpty == false, "\(name)")
      }
    }

    /// The log of SQLite, also in GRDB's pool and in the object graph, and the file of LMDB keep all changes meanwhile.
    @Test func aHeldSnapshotMakesTheStoreGrow() async throws {
      let stores = ["sqlite:journal=wal", "sqlite-queue:pool=yes", "object-graph", "lmdb"]
      let results = try await Workplace().run(
        "--profile counts -b \(stores.joined(separator: ",")),sqlite,sqlite-queue,plist",
        "-w long-reader,long-reader:held=no -n 1000 --durability shipped", into: "run")
      func bytes(_ store: String, _ workload: String) throws -> Double {
        let row = try results.row("\(store)/\(workload)/1000/shipped")
        #expect(row["status"] == "ok", "\(store): \(row["note"] ?? "")")
        return try #require(row.finding("store_bytes"))
      }
      for store in stores {
        #expect(try bytes(store, "long-reader") > 1.8 * bytes(store, "long-reader:held=no"), "\(store)")
      }
      let others = results.rows.filter { $0["status"] != "ok" }
      #expect(others.count == 6)
      for row in others { #expect(row["note"] == "a save would wait until the reader has ended") }
    }
  }
}
