import Foundation
import StorageReport
import Testing

extension EndToEnd.Measuring {
  @Suite struct ReadTests {
    private let workplace = Workplace()

    /// The mode of a write-ahead log is stored in the file, so launches find it. The store of a save in the same run is
    /// as shipped.
    @Test(arguments: [("durable,shipped", "wal"), ("shipped,durable", "delete")])
    func readsHaveTheSettingsThatAreAskedFirst(levels: String, journal: String) async throws {
      let results = try await workplace.run(
        "-b sqlite -w read-one,launch-warm,save-one -n 100 --rounds 1 --trial-time 1ms --durability", levels,
        into: "run")
      for name in ["sqlite/read-one/100/-", "sqlite/launch-warm/100/-"] {
        let row = try results.row(name)
        #expect(row["settings"]?.contains("journal_mode=\(journal)") == true, "\(name): \(row["settings"] ?? "")")
        // Nothing is saved. A launch writes eight pages of the file through which processes share the log.
        #expect(row["level"] == "" && row["durability"] == "" && row["syncs_settled"] == "0", "\(name)")
        #expect(try row.number("bytes_written_settled") <= 8, "\(name)")
      }
      for row in results.rows where row["workload"] == "save-one" {
        let isShipped = row["durability"] == "shipped"
        #expect(row["settings"]?.contains("journal_mode=\(isShipped ? "delete" : "wal")") == true)
      }
    }

    /// The parent process only waits, which takes a hundredth of the time.
    @Test func aLaunchTakesItsOwnProcessorTime() async throws {
      let results = try await workplace.run(
        "-b plist -w launch-warm:until=all -n 10k --rounds 2 --trial-time 1ms", into: "launch")
      for trial in results.trials where trial.pass == .timed {
        let timing = try #require(trial.timing)
        // On a busy machine the process waits, too. Its processor time is never longer than the time on all processors.
        #expect(Double(timing.cpu) > Double(timing.elapsed) / 20)
        #expect(timing.cpu < timing.elapsed * Int64(ProcessInfo.processInfo.activeProcessorCount))
      }
    }
  }
}
