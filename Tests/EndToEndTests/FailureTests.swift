import Foundation
import StorageContract
import StorageReport
import Testing

/// Backends that crash, hang or lie are detected and do not affect others.
extension EndToEnd.Enduring {
  @Suite struct FailureTests {
    private let workplace = Workplace()

    /// One backend works on the first thread only, which every pass uses: on other threads, memory comes from arenas that
    /// request every page from the kernel.
    @Test func misbehaviourIsNamedAndStaysAlone() async throws {
      // The limit is long enough for two thousand saves of a good backend. The test waits for it three times.
      let finished = try await workplace.bench(
        "run", "--allow-debug", "-q", "-w", "save-one,import,read-one", "-n", "100", "--rounds", "1", "--trial-time",
        "5ms", "--cell-limit", "6s", "-b",
        "crashes,hangs,exits,throws,chatters,wrong-record,loses-update,forgets,fills-no-log,first-thread,plist,lmdb,"
          + "memory",
        "-o", "run", program: "MisbehavingBench", exits: 1)
      let results = try Results("\(workplace.path)/run")
      let failures = [
        "crashes/save-one": "killed by signal 11 (SIGSEGV)",
        "hangs/save-one": "took longer than the limit of 6.0 s and was killed; a higher --cell-limit gives it more",
        "exits/save-one": "ended with exit code 0 and no answer: something went wrong",
        "throws/save-one": "no space left: the disk of this test",
        "wrong-record/read-one": "record 7 has a wrong score",
        "loses-update/save-one": "record N has a wrong modified, payload",
        "loses-update/import": "record 1 is missing",
        "forgets/save-one": "record N has a wrong modified, payload",
        "forgets/import": "record 1 is missing",
        // Saves are timed in a log that was full once.
        "fills-no-log/save-one": "its log cannot be filled",
        "fills-no-log/import": "its log cannot be filled",
      ]
      for row in results.rows {
        let name = "\(row["backend"]!)/\(row["workload"]!)"
        guard let note = failures[name] else {
          #expect(row["status"] == "ok", "\(name): \(row["note"] ?? "")")
          #expect(row["ops_per_s"]?.isEmpty == false, "\(name)")
          // An operation of less than five readings of the clock is timed in batches only. A read from memory may be
          // one.
          #expect(row["p50_ns"]?.isEmpty == false || name == "memory/read-one", "\(name)")
          continue
        }
        #expect(row["status"] == "failed", "\(name)")
        // The record that the first save changes depends on the seed.
        let found = row["note"]?.replacing(/record [0-9]+ has a wrong mod/, with: "record N has a wrong mod")
        #expect(found == note, "\(name)")
        // Failed cells have no figures.
        for column in ["p50_ns", "p25_ns", "ops_per_s", "bytes_written", "syncs"] where row[column] != nil {
          #expect(row[column] == "", "\(column) of \(name)")
        }
      }
      // With -q, too, the reason for exit code 1 is printed.
      let sentence = try #require(finished.errors.split(separator: "\n").last)
      #expect(sentence.contains(": 11 of 39 cells failed, first "), "\(finished.errors)")
      #expect(results.rows.count == 39)
      #expect(results.rows.count { $0["status"] == "failed" } == failures.count)
      #expect(!FileManager.default.fileExists(atPath: "\(results.path)/scratch"))
      // The process itself does not see the loss. It is found when the store is verified after the timed trial.
      let forgotten = results.trials.filter { $0.cell.backend.id == "forgets" && $0.status == .failed }
      #expect(forgotten.map(\.pass) == [.timed, .timed])
    }

    @Test func countsAloneFindOutToo() async throws {
      let results = try await workplace.misbehave(
        "--profile counts -w save-one,read-one -n 100 -b wrong-record,loses-update,forgets,plist")
      let failed = results.rows.filter { $0["status"] == "failed" }.map(Results.name)
      #expect(
        failed.sorted() == [
          "forgets/save-one/100/shipped", "loses-update/save-one/100/shipped", "wrong-record/read-one/100/-",
        ])
    }
  }
}
