import Foundation
import StorageReport
import StorageRunFiles
import Testing

/// Plan files, and runs that are repeated.
extension EndToEnd.Measuring {
  @Suite struct PlanTests {
    private let workplace = Workplace()

    private func plan(_ name: String) throws -> Plan { try RunDirectory(path: "\(workplace.path)/\(name)").plan() }

    @Test func theExampleRunsAndIsRepeatedExactly() async throws {
      let example = Program.root.appendingPathComponent("Examples/plan.yaml").path
      // Flags beside the plan reduce the size of the example.
      let first = try await workplace.run(
        ["--plan", example] + "-n 20 --rounds 1 --trial-time 2ms".words, into: "first")
      #expect(first.rows.allSatisfy { $0["status"] == "ok" && $0["p50_ns"]?.isEmpty == false })
      // Five cells of each of four backends, three imports in batches, and a line of the plan with two backends.
      #expect(first.names.count == 25)
      let before = try plan("first")
      #expect(before.label == "an app with a few thousand records")
      #expect(before.seed == 42)
      #expect(before.cells.contains { $0.cell.workload.id == "load-all" && $0.cell.recordBytes == 1_000 })

      let second = try await workplace.run("--plan first/plan.json", into: "second")
      var after = try plan("second")
      #expect(after.scratch == "\(workplace.path)/second/scratch")
      (after.scratch, after.command) = (before.scratch, before.command)
      #expect(after == before)
      #expect(second.trialKeys == first.trialKeys)
      // The same operations on the same records, in the same order.
      for name in first.names {
        let (one, two) = (try first.row(name), try second.row(name))
        for column in ["digest", "stream_hash", "seed", "level", "settings", "bytes_changed"] {
          #expect(one[column] == two[column], "\(column) of \(name)")
        }
      }
      func order(_ results: Results) -> [String] { results.trials.filter { $0.round == 1 }.map(\.cell.name) }
      #expect(order(first) == order(second))
    }

    @Test func aRunIsRepeatedWithoutItsPlanFileAndDataset() async throws {
      try workplace.write("records.csv", "id,name\n3,a\n1,b\n2,c\n")
      try workplace.write("p.yaml", "backend: sqlite\nworkload: read-one\ndataset: records.csv\nonce: true\n")
      _ = try await workplace.run("--plan p.yaml", into: "first")
      try FileManager.default.removeItem(atPath: "\(workplace.path)/p.yaml")
      let second = try await workplace.run("--plan first/plan.json", into: "second")
      #expect(second.names == ["sqlite/read-one/3/-"])
      #expect(try plan("second").once)
      try workplace.write("records.csv", "id,name\n3,a\n1,b\n2,d\n")
      try await workplace.expectRefused(
        "run --plan first/plan.json -o third".words, "records.csv has changed since the run")
    }
  }
}
