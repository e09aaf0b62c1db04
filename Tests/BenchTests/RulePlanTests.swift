import Foundation
import StorageContract
import StorageRunFiles
import Testing

@testable import StorageBench

@Suite struct RulePlanTests {
  private func plan(_ rules: String..., options: [String] = [], isRAMDisk: Bool = false) throws -> Plan {
    var builder = try PlanBuilder.sample(options)
    builder.isRAMDisk = isRAMDisk
    let rules = try rules.enumerated().map { try Rule($1, location: "r.yaml, line \($0 + 1)") }
    return try RulePlan(rules: rules, builder: builder).plan()
  }

  private func names(_ plan: Plan) -> [String] { plan.cells.map(\.cell.name) }

  @Test func exactlyTheNamedCellsAreCounted() throws {
    let plan = try plan(
      "{plist,archive}/save-one/*/shipped amplification <= 5", "sqlite:journal=wal/save-one/500/durable syncs == 1",
      "plist/save-one/100/shipped syncs == 1")
    #expect(plan.rounds == 0)
    #expect(
      names(plan) == [
        "plist/save-one/100/shipped", "plist/save-one/1000/shipped", "plist/save-one/10000/shipped",
        "archive/save-one/100/shipped", "archive/save-one/1000/shipped", "archive/save-one/10000/shipped",
        "sqlite:journal=wal/save-one/500/durable",
      ])
  }

  @Test func wildcardsStandForWhatTheCatalogHas() throws {
    let levels = try plan("sqlite/save-one/100/* syncs <= 5")
    #expect(names(levels) == ["shipped", "crash", "intact", "durable"].map { "sqlite/save-one/100/\($0)" })
    #expect(try names(plan("lmdb/read-*/100/* syncs == 0")).allSatisfy { $0.hasSuffix("/100/-") })
    #expect(try names(plan("sqlite*/save-one/100/shipped syncs == 4")).count == 2)
    #expect(try names(plan("lmdb/save-one/10?0/shipped syncs == 2")) == ["lmdb/save-one/1000/shipped"])
    // Sizes that are too large for a backend are left out.
    let everywhere = try plan("*/save-one/*/shipped syncs <= 5")
    #expect(names(everywhere).contains("keychain/save-one/100/shipped"))
    #expect(everywhere.cells.allSatisfy { $0.refusal?.status != .skipped })
  }

  @Test func conditionsAreThoseOfNames() throws {
    let name = "sqlite/save-one/100/shipped/bytes=1000/aged=2"
    let cell = try plan("\(name) syncs == 4").cells[0].cell
    #expect(cell.name == name)
    #expect(cell.recordBytes == 1_000 && cell.aged == 2 && cell.cache == .warm)
    #expect(try names(plan("lmdb/launch-cold/100/-/cold opens <= 3")) == ["lmdb/launch-cold/100/-/cold"])
  }

  /// `run --plan RULES` measures the cells that the rules name, with the rounds and lengths of a run.
  @Test func aRunMeasuresWhatRulesName() throws {
    func plan(_ rules: String..., skip: [String] = []) throws -> Plan {
      var builder = try PlanBuilder(catalog: .whole, options: RunOptions.parse(["--rounds", "9"] + skip))
      let rules = try rules.map { try Rule($0, location: "r.yaml, line 1") }
      builder.ruled = { try RulePlan(rules: rules, builder: $0).cells(rounds: $1) }
      return try builder.plan()
    }
    let timed = try plan(
      "sqlite/save-one/{100,1000}/shipped p50 <= 5 x lmdb/*/*/*", "plist/save-one/100/shipped syncs == 1",
      skip: ["--skip", "*/1000/*"])
    #expect(names(timed) == ["sqlite/save-one/100/shipped", "plist/save-one/100/shipped", "lmdb/save-one/100/shipped"])
    #expect(timed.rounds == 9 && timed.trialTime == Plan.usualTrialTime && timed.profile == nil)
    #expect(timed.cells.map { $0.untimed == nil } == [true, false, true])
    #expect(try plan("plist/save-one/100/shipped syncs == 1").rounds == 0)
  }

  @Test func onlyRulesAboutTimesAreTimed() throws {
    let plan = try plan(
      "{sqlite,plist}/save-one/*/shipped p50 <= 5 x lmdb/*/*/*", "sqlite/import/100/shipped syncs == 4",
      "lmdb/save-one/100/* bytes <= 20000")
    #expect(plan.rounds == 6 && plan.trialTime == 20_000_000)
    let timed = plan.cells.filter { $0.untimed == nil }.map(\.cell.name)
    #expect(
      Set(timed)
        == Set(
          ["sqlite", "plist", "lmdb"].flatMap { id in [100, 1_000, 10_000].map { "\(id)/save-one/\($0)/shipped" } })
    )
    #expect(plan.cells.filter { $0.untimed != nil }.map(\.cell.name).contains("sqlite/import/100/shipped"))
    let chosen = try self.plan(
      "lmdb/read-one/100/- p50 < 1ms", options: ["--rounds=8", "--trial-time=50ms", "--seed=3"])
    #expect(chosen.rounds == 8 && chosen.trialTime == 50_000_000 && chosen.seed == 3)
  }

  /// A right side can be planned for a cell that only another rule's right side has named.
  @Test func rightSidesOfRightSidesAreRun() throws {
    let plan = try plan(
      "sqlite/save-one/500/shipped bytes <= 2 x lmdb/*/*/*", "l*b/save-one/*/shipped bytes <= 5 x plist/*/*/*")
    #expect(names(plan).contains("plist/save-one/500/shipped"))
  }

  @Test func savesAreNotTimedInMemory() throws {
    let timed = try plan("lmdb/save-one/100/durable p50 < 1ms", isRAMDisk: true)
    #expect(timed.cells[0].refusal?.note == "/scratch is in memory, where nothing is durable")
    #expect(try plan("lmdb/save-one/100/durable syncs == 2", isRAMDisk: true).cells[0].refusal == nil)
  }

  @Test func theExampleNamesCellsThatCanBeRun() throws {
    let rules = try RuleFile.read(repository.appendingPathComponent("Examples/rules.yaml").path)
    #expect(rules.count == 16 && rules.count(where: \.metric.isTimed) == 2)
    let plan = try RulePlan(rules: rules, builder: PlanBuilder.sample([])).plan()
    #expect(plan.cells.allSatisfy { $0.refusal == nil })
    #expect(plan.cells.count { $0.untimed == nil } == 4)
  }

  @Test(arguments: [
    ("sqlit/save-one/100/shipped syncs == 4", "r.yaml, line 1: unknown backend 'sqlit'; the nearest is 'sqlite'"),
    ("sqlite/save-on/100/shipped syncs == 4", "unknown workload 'save-on'"),
    ("x*/save-one/100/shipped syncs == 4", "no backend matches 'x*'"),
    ("{lmdb,x*}/save-one/100/shipped syncs == 4", "no backend matches 'x*'"),
    ("lmdb/x*/100/shipped syncs == 4", "no workload matches 'x*'"),
    ("lmdb/save-one/7*/shipped syncs == 4", "'7*' is not a number of records; write digits, or * for 100, 1000, 10000"),
    ("lmdb/save-one/1k/shipped syncs == 4", "'1k' is not a number of records"),
    ("lmdb/save-one/0/shipped syncs == 4", "cell.records is 0, but must be from 1 to"),
    (
      "lmdb/save-one/100/x* syncs == 4",
      "'lmdb/save-one/100/x*' matches no cell; cells are named like lmdb/save-one/100/"
    ),
    ("lmdb/save-one/100/- syncs == 4", "'lmdb/save-one/100/-' matches no cell"),
    ("grdb/save-one/100/shipped syncs == 4", "cells are named like sqlite-queue/save-one/100/shipped"),
    ("sqlite:journal=auto/save-one/100/shipped syncs == 4", "cells are named like sqlite/save-one/100/shipped"),
    ("lmdb/save-one/100/shipped/wet syncs == 4", "'wet' cannot follow the name of a cell"),
    ("lmdb/read-one/100/- amplification < 4", "lmdb/read-one/100/- only reads and has no amplification"),
  ])
  func whatCannotBeRunIsRefused(rule: String, message: String) {
    let error = #expect(throws: UsageError.self) { try plan(rule) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    #expect(error?.description.hasPrefix("r.yaml, line 1: ") == true)
  }
}
