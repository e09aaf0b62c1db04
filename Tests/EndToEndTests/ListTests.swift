import Foundation
import StorageBackends
import StorageContract
import Testing

extension EndToEnd.Measuring {
  @Suite struct ListTests {
    private let workplace = Workplace()

    /// The status `ok` means that after each save each list equalled a plain sort, and that its update was exactly the
    /// difference.
    @Test func listsFollowAnotherContextOrConnection() async throws {
      let workloads = [
        "live-list", "live-list:observers=10:edit=mixed", "live-list:from=other",
        "live-list:from=other:observers=10:edit=mixed",
      ]
      let backends =
        "sqlite,sqlite:journal=wal,sqlite-queue:pool=yes,object-graph,object-graph:store=memory,"
        + "object-graph:store=binary,sqlite-queue,lmdb"
      func needsAnother(_ row: [String: String]) -> Bool {
        ["sqlite-queue", "lmdb"].contains(Results.backend(row)) && row["workload"]!.contains("from=other")
      }
      let results = try await workplace.agree(on: workloads, "--once -n 90", backends: backends, mayLack: needsAnother)
      #expect(results.rows.filter(needsAnother).allSatisfy { $0["status"] == "n/a" })
    }

    /// A list that queries again costs a query and the decoding of all its rows. GRDB needs five statements, most of
    /// them around the query. The object graph fetches nothing that it has.
    @Test func statementsPerChangeAreCounted() async throws {
      let results = try await workplace.run(
        "--profile counts -b sqlite,sqlite-queue,sqlite-queue:pool=yes,object-graph",
        "-w live-list:observers=0,live-list,live-list:observers=10,live-list:edit=elsewhere -n 60", into: "run")
      let expected: [String: [String: Double]] = [
        "sqlite": ["live-list:observers=0": 1, "live-list": 2, "live-list:observers=10": 11],
        "sqlite-queue": ["live-list:observers=0": 3, "live-list": 8, "live-list:observers=10": 53],
        "sqlite-queue:pool=yes": ["live-list:observers=0": 3, "live-list": 7, "live-list:observers=10": 43],
        "object-graph": ["live-list:observers=0": 2, "live-list": 2, "live-list:observers=10": 2],
      ]
      for row in results.rows {
        #expect(row["status"] == "ok", "\(Results.name(row)): \(row["note"] ?? "")")
        guard let statements = expected[Results.backend(row)]?[row["workload"]!] else { continue }
        let counted = try #require(Double(row["counted_operations"] ?? ""))
        // A pool opens a reader on demand, sometimes during the counted part.
        let margin = row["options"] == "pool=yes" ? 0.5 : 0
        let difference = Double(row["statements"] ?? "").map { abs($0 / counted - statements) }
        #expect(difference.map { $0 <= margin } == true, "\(Results.name(row)): \(row["statements"] ?? "")")
      }
      // Leaves out the findings of the engine about its store.
      func findings(_ backend: String, _ workload: String) -> String? {
        let row = results.rows.first { Results.name($0).hasPrefix("\(backend)/\(workload)/") }
        return row?["findings"]?.split(separator: " ").filter { $0.contains("_per_save=") }.joined(separator: " ")
      }
      #expect(findings("sqlite", "live-list:observers=0") == "")
      #expect(findings("sqlite-queue", "live-list:observers=10") == "rows_decoded_per_save=600 false_wakes_per_save=0")
      #expect(findings("object-graph", "live-list") == "rows_decoded_per_save=1 false_wakes_per_save=0")
      #expect(findings("sqlite-queue", "live-list:edit=elsewhere")?.hasSuffix("false_wakes_per_save=1") == true)
      #expect(findings("object-graph", "live-list:edit=elsewhere")?.hasSuffix("false_wakes_per_save=0") == true)
    }
  }
}
