@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The sentences and the section on two processes that save into one store.
@Suite struct SharingTests {
  /// A trial of two processes that save equally often.
  private func trial(
    _ backend: String, _ workload: String = "two-processes", lost: Int = 0, saves: Int = 10_000, more: [Finding] = []
  ) -> Trial {
    let cell = Cell(backend, workload, records: 100)
    return changed(Trial(cell: cell, pass: .timed, started: 0, wall: 1, status: .ok)) {
      $0.findings =
        [
          Finding(SharingFinding.saves, Double(saves)), Finding(SharingFinding.otherSaves, Double(saves)),
          Finding(SharingFinding.lostUpdates, Double(lost)),
        ] + more
    }
  }

  private func model(_ trials: [Trial]) throws -> ReportModel {
    try SampleRun.model(plan: Plan(of: trials.map(\.cell), rounds: 1), trials: trials)
  }

  private func sentences(_ trials: Trial...) throws -> [String] {
    SharingSection.sentences(try model(trials)).map(\.text)
  }

  @Test func `saves that a property list loses are listed, with the remedy`() throws {
    #expect(
      try sentences(trial("plist", lost: 1_234), trial("plist", "two-processes:lock=yes")) == [
        "Two processes save into the same plist: 1,234 of 20,000 saves were silently lost; with a lock file none."
      ])
    #expect(
      try sentences(
        trial("plist", lost: 1_234), trial("archive", lost: 20, saves: 50), trial("plist", "two-processes:lock=yes"),
        trial("sqlite"), trial("lmdb")
      ) == [
        "Two processes save into the same store, and saves are silently lost: 1,234 of 20,000 in plist and 20 of 100 "
          + "in archive; with a lock file none in plist; without one none in sqlite and lmdb."
      ])
  }

  @Test func `runs without losses, the naive way and kills have no sentence`() throws {
    #expect(try sentences(trial("sqlite"), trial("lmdb")).isEmpty)
    #expect(try sentences(trial("plist", "two-processes:lock=yes")).isEmpty)
    #expect(try sentences(trial("plist", "two-processes:way=naive", lost: 5)).isEmpty)
    let killed = trial("plist", "two-processes:kill=yes", lost: 5, more: [Finding(SharingFinding.kills, 3)])
    #expect(try sentences(killed).isEmpty)
    // A lock file did not help.
    #expect(
      try sentences(trial("plist", lost: 3), trial("plist", "two-processes:lock=yes", lost: 1))
        == ["Two processes save into the same plist: 3 of 20,000 saves were silently lost."])
  }

  @Test func `the section has a line for each row, and is missing without rows`() throws {
    let model = try model([
      trial(
        "sqlite", "two-processes:way=naive",
        more: [
          Finding(SharingFinding.staleReads, 2), Finding(SharingFinding.errors, 1_200),
          Finding("errors_busy", 1_000), Finding("errors_conflict", 200),
          Finding(SharingFinding.otherMost, 2_000_000, .max),
        ]),
      trial(
        "plist", "two-processes:kill=yes",
        more: [Finding(SharingFinding.kills, 9), Finding(SharingFinding.stuck, 1)]),
    ])
    let tables = try #require(model.section("sharing")).tables.map(\.texts)
    #expect(tables.count == 2)
    #expect(
      tables[0].first?.prefix(5) == [
        "sqlite/two-processes:way=naive/100/shipped", "20,000", "0", "2", "1,200 (1,000 busy, 200 conflict)",
      ])
    #expect(tables[0].first?.last == "2.0 ms")
    #expect(tables[1].first?.prefix(4) == ["plist/two-processes:kill=yes/100/shipped", "9", "1", "0"])
    let other = Trial(cell: SampleRun.save(SampleRun.plist, 100), pass: .timed, started: 0, wall: 1, status: .ok)
    #expect(try SampleRun.section("sharing", plan: Plan(of: [other.cell], rounds: 1), trials: [other]) == nil)
  }
}
