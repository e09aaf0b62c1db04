@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The sentences and the section on two processes that save into one store.
@Suite struct SharingTests {
  private struct Case {
    var backend: String
    var options: [String] = []
    var lost = 0
    var saves = 10_000
    var more: [Finding] = []
  }

  private static func cell(_ sample: Case) -> Cell {
    Cell(
      backend: Spec(id: sample.backend),
      workload: Spec(verbatim: (["two-processes"] + sample.options).joined(separator: ":")), records: 100,
      durability: .shipped)
  }

  private static func trial(_ sample: Case) -> Trial {
    var trial = Trial(cell: cell(sample), pass: .timed, started: 0, wall: 1, status: .ok)
    trial.findings =
      [
        Finding(SharingFinding.saves, Double(sample.saves)), Finding(SharingFinding.otherSaves, Double(sample.saves)),
        Finding(SharingFinding.lostUpdates, Double(sample.lost)),
      ] + sample.more
    return trial
  }

  private static func report<Result>(_ samples: [Case], _ body: (RunReport) throws -> Result) throws -> Result {
    try SampleRun.withModel(plan: Plan(of: samples.map(cell), rounds: 1), trials: samples.map(trial)) { model, _ in
      try body(RunReport(model))
    }
  }

  private static func sentences(_ samples: [Case]) throws -> [String] {
    try report(samples) { SharingRule.sentences($0.model).map(\.text) }
  }

  @Test func `saves that a property list loses are listed, with the remedy`() throws {
    #expect(
      try Self.sentences([
        Case(backend: "plist", lost: 1_234), Case(backend: "plist", options: ["lock=yes"]),
      ]) == [
        "Two processes save into the same plist: 1,234 of 20,000 saves were silently lost; with a lock file none."
      ])
    #expect(
      try Self.sentences([
        Case(backend: "plist", lost: 1_234), Case(backend: "archive", lost: 20, saves: 50),
        Case(backend: "plist", options: ["lock=yes"]), Case(backend: "sqlite"), Case(backend: "lmdb"),
      ]) == [
        "Two processes save into the same store, and saves are silently lost: 1,234 of 20,000 in plist and 20 of 100 "
          + "in archive; with a lock file none in plist; without one none in sqlite and lmdb."
      ])
  }

  @Test func `runs without losses, the naive way and kills have no sentence`() throws {
    #expect(try Self.sentences([Case(backend: "sqlite"), Case(backend: "lmdb")]).isEmpty)
    #expect(try Self.sentences([Case(backend: "plist", options: ["lock=yes"])]).isEmpty)
    #expect(try Self.sentences([Case(backend: "plist", options: ["way=naive"], lost: 5)]).isEmpty)
    #expect(
      try Self.sentences([
        Case(backend: "plist", options: ["kill=yes"], lost: 5, more: [Finding(SharingFinding.kills, 3)])
      ]).isEmpty)
    // A lock file did not help.
    #expect(
      try Self.sentences([Case(backend: "plist", lost: 3), Case(backend: "plist", options: ["lock=yes"], lost: 1)])
        == ["Two processes save into the same plist: 3 of 20,000 saves were silently lost."])
  }

  @Test func `the section has a line for each row, and is missing without rows`() throws {
    let tables = try Self.report([
      Case(
        backend: "sqlite", options: ["way=naive"],
        more: [
          Finding(SharingFinding.staleReads, 2), Finding(SharingFinding.errors, 1_200),
          Finding("errors_busy", 1_000), Finding("errors_conflict", 200),
          Finding(SharingFinding.otherMost, 2_000_000, .max),
        ]),
      Case(
        backend: "plist", options: ["kill=yes"],
        more: [Finding(SharingFinding.kills, 9), Finding(SharingFinding.stuck, 1)]),
    ]) { report in
      try #require(report.document.sections.first { $0.id == "sharing" }).tables.map(\.texts)
    }
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
