import Foundation
import StorageReport
import StorageRunFiles
import Testing

@testable import StorageBench

@Suite struct MergedRunTests {
  private let directory = TemporaryDirectory()

  private static let workloads = ["save-one", "import", "read-one", "iterate"]

  private func environment(
    machine: String = "abcd", host: String? = "n1", engine: String = "1", pages: String = "4096",
    warnings: [String] = []
  ) -> MachineEnvironment {
    var system = ["page size": pages]
    system["host"] = host
    return MachineEnvironment(
      machine: machine, system: system, build: ["version": "1", "mode": "release", "architecture": "x86_64"],
      engines: ["page": engine], warnings: warnings)
  }

  /// Writes a part of a run with one round, of which only the first trials are complete.
  @discardableResult
  private func part(
    _ number: Int, trials: Int = 4, in environment: MachineEnvironment? = nil, cells: [String] = workloads,
    matrix: String = "4-abc"
  ) throws -> RunDirectory {
    let own = cells.enumerated().filter { $0.offset % 2 == number - 1 }
    var plan = Plan(rounds: 1, cells: own.map { PlannedCell.sample("page", $0.element) })
    (plan.shard, plan.places, plan.matrix) = ("\(number)/2", own.map(\.offset), matrix)
    let run = try directory.begin(plan, in: "part-\(number)", environment ?? self.environment())
    let journal = try Journal(run)
    let all = plan.cells.map { Trial.sample($0.cell) } + plan.cells.map { Trial.sample($0.cell, .cost) }
    for trial in all.prefix(trials) { try journal.append(trial) }
    return run
  }

  private func merged(_ runs: [RunDirectory]) throws -> (wanting: [String], model: ReportModel) {
    let target = RunDirectory(path: "\(directory.path)/whole-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: target.url, withIntermediateDirectories: true)
    let wanting = try MergedRun(runs).write(to: target)
    return (wanting, try ReportModel(reading: target))
  }

  @Test func wholePartsWantNothing() throws {
    let (wanting, model) = try merged([part(2), part(1)])
    #expect(wanting.isEmpty)
    #expect(model.warnings.isEmpty)
    #expect(model.rows.map(\.cell.workload.id) == Self.workloads)
    #expect(Set(model.rows.map(\.machine)) == ["abcd"])
  }

  @Test(arguments: 0...3) func whatIsMissingIsNamed(trials: Int) throws {
    let cut = try part(2, trials: trials)
    let (wanting, model) = try merged([part(1), cut])
    #expect(wanting.count == 1)
    #expect(wanting.first?.contains("part-2 lacks \(4 - trials) trial") == true, "\(wanting)")
    #expect(wanting.first?.contains("run --resume") == true)
    #expect(model.rows.count == 4)
    #expect(try merged([cut]).wanting.contains("Not all shards are here: 1/2 missing."))
  }

  @Test func nodesThatAreAlikeAreKeptApartByName() throws {
    let (_, model) = try merged([part(1, in: environment(host: "n1")), part(2, in: environment(host: "n2"))])
    #expect(model.rows.map(\.machine) == ["abcd@n1", "abcd@n2", "abcd@n1", "abcd@n2"])
    #expect(model.warnings.contains { $0.contains("2 machines (abcd@n1, abcd@n2): times are ranked within a machine") })
    // Different machines have different names already. A run of an older version has no host.
    let others = [environment(machine: "beef", host: "n2"), environment(host: nil)]
    for (other, expected) in zip(others, [Set(["abcd", "beef"]), ["abcd"]]) {
      try FileManager.default.removeItem(atPath: "\(directory.path)/part-2")
      let (_, model) = try merged([RunDirectory(path: "\(directory.path)/part-1"), try part(2, in: other)])
      #expect(Set(model.rows.map(\.machine)) == expected)
    }
  }

  @Test(arguments: [("2", "4096", "page is 1 in "), ("1", "16384", "page size is 4096 in ")])
  func otherEnginesAndPagesAreSaid(engine: String, pages: String, sentence: String) throws {
    let (wanting, model) = try merged([part(1), part(2, in: environment(engine: engine, pages: pages))])
    #expect(wanting.isEmpty)
    #expect(model.warnings.contains { $0.contains(sentence) }, "\(model.warnings)")
  }

  @Test func warningsOfAllPartsAreKeptOnce() throws {
    let (_, model) = try merged([
      try part(1, in: environment(warnings: ["busy", "memory"])),
      try part(2, in: environment(warnings: ["busy", "debug"])),
    ])
    #expect(model.warnings == ["busy", "memory", "debug"])
  }

  @Test func aPartWithoutCellsIsMergedLikeTheOthers() throws {
    let cells = ["save-one"]
    let (wanting, model) = try merged([part(1, trials: 2, cells: cells), part(2, cells: cells)])
    #expect(wanting.isEmpty)
    #expect(model.rows.count == 1)
  }

  @Test func partsOfDifferentMatricesAreRefused() throws {
    let parts = try [part(1), part(2, matrix: "3-def")]
    expectUsageError("whole matrix") { try MergedRun(parts) }
  }

  @Test func theSameCountsNeedTheSameEngine() throws {
    let plan = Plan(rounds: 0, cells: [.sample()])
    let begun = environment()
    func require(_ plan: Plan, _ here: MachineEnvironment) throws {
      try RunCompatibility.require(plan, path: "p", begun: begun, here: here)
    }
    try require(plan, begun)
    try require(plan, environment(machine: "beef", host: "n2"))
    expectUsageError("the run began with page 1, here it is 2") { try require(plan, environment(engine: "2")) }
    var timed = plan
    timed.rounds = 1
    try require(timed, begun)
    try require(timed, environment(host: nil))
    expectUsageError("machine abcd (n1), this is abcd (n2)") { try require(timed, environment(host: "n2")) }
    expectUsageError("times of two machines") { try require(timed, environment(machine: "beef")) }
    timed.once = true
    try require(timed, environment(host: "n2"))
    // Cells that were never run do not depend on the version of the engine.
    let refused = Plan(rounds: 0, cells: [.sample(refusal: .init(status: .notAvailable, note: "no"))])
    try require(refused, environment(engine: "2"))
  }

  @Test func aJournalHasOneWriter() throws {
    let run = try part(1)
    var first: Journal? = try Journal(run)
    expectUsageError("another process is writing \(run.trialsURL.path)") { try Journal(run) }
    try first?.synchronize()
    first = nil
    _ = try Journal(run)
  }
}
