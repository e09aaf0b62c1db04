import Foundation
import StorageContract
import StorageReport
import Testing

extension EndToEnd.Enduring {
  @Suite struct ProcessTests {
    private let workplace = Workplace()

    /// Backends that lose nothing by themselves.
    private static let safe = ["sqlite", "sqlite:journal=wal", "sqlite-queue", "lmdb", "object-graph"]
    /// Backends that write whole files.
    private static let files = ["plist", "json"]

    @Test func onlyTheBackendWithoutAPromiseLosesSaves() async throws {
      let results = try await workplace.run(
        "-b", (Self.safe + Self.files).joined(separator: ","),
        "-w two-processes:saves=60,two-processes:saves=60:lock=yes -n 4 --rounds 1 --trial-time 20s --allow-ram-disk",
        into: "run")
      #expect(results.rows.count == 2 * (Self.safe.count + Self.files.count))
      for row in results.rows {
        let name = Results.name(row)
        #expect(row["status"] == "ok", "\(name): \(row["note"] ?? "")")
        let isSafe = Self.safe.contains(Results.backend(row)) || row["workload"]!.contains("lock=yes")
        let (saves, others) = (row.finding("saves") ?? 0, row.finding("other_saves") ?? 0)
        let errors = row.finding("errors") ?? 0
        // Every save of each side was acknowledged or reported as an error.
        #expect(saves + others <= 120 && saves + others + errors >= 120, "\(name): \(saves) and \(others), \(errors)")
        if isSafe {
          for finding in ["lost_updates", "lost_records", "stale_reads"] {
            #expect(row.finding(finding) == 0, "\(name)")
          }
        }
      }
      // With 60 saves of each side, 240 in all, a run without any lost update is practically impossible.
      let lost = results.rows.filter {
        Self.files.contains(Results.backend($0)) && $0["workload"] == "two-processes:saves=60"
      }
      .reduce(0) { $0 + ($1.finding("lost_updates") ?? 0) }
      #expect(lost > 0)
      // Counting passes alternate between the processes, and so have the same final state.
      #expect(Set(results.rows.map { $0["digest"] }).count == 1)
    }

    @Test func theNaiveWayLosesOrFails() async throws {
      let results = try await workplace.run(
        "-b sqlite:journal=wal,plist -w two-processes:way=naive:saves=60 -n 4 --rounds 1 --trial-time 20s",
        "--allow-ram-disk", into: "run")
      for row in results.rows {
        #expect(row["status"] == "ok", "\(Results.name(row)): \(row["note"] ?? "")")
        let lost = try #require(row.finding("lost_updates"))
        #expect((lost > 0) == (row["backend"] == "plist"), "\(Results.name(row))")
      }
    }

    @Test func aProcessMayBeKilledInTheMiddle() async throws {
      let results = try await workplace.run(
        "-b sqlite,sqlite-queue,lmdb,object-graph,plist -w two-processes:kill=yes -n 4 --rounds 1 --trial-time 1ms",
        "--allow-ram-disk", into: "run")
      for row in results.rows {
        #expect(row["status"] == "ok", "\(Results.name(row)): \(row["note"] ?? "")")
        #expect((row.finding("kills") ?? 0) > 0, "\(Results.name(row))")
        #expect(row.finding("stuck_after_kill") == 0, "\(Results.name(row))")
        #expect(row["p50_ns"]?.isEmpty == false)
      }
    }

    @Test func aBackendThatLosesSavesAgainstItsPromiseIsFound() async throws {
      let results = try await workplace.misbehave(
        "-w two-processes:saves=400 -n 4 --rounds 1 --trial-time 20s -b loses-others,remembers-others,honest")
      for row in results.rows {
        let note = row["note"] ?? ""
        switch row["backend"] {
        case "loses-others", "remembers-others":
          #expect(row["status"] == "failed", "\(note)")
          let sentences = ["update was lost", "save is gone", "had been acknowledged"]
          #expect(sentences.contains { note.contains($0) }, "\(note)")
        default: #expect(row["status"] == "ok", "\(note)")
        }
      }
    }

    @Test func whatCannotBeSharedSaysWhy() async throws {
      let results = try await workplace.run("-b leveldb,memory,null -w two-processes -n 4", into: "run")
      for row in results.rows {
        #expect(row["status"] == "n/a")
        #expect(row["note"]?.isEmpty == false)
      }
    }
  }
}
