import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads
import Testing

@testable import StorageBench

/// Cells with aged stores: their selection, their estimated cost, and the preparation of their fixtures.
@Suite struct AgedCellTests {
  private let directory = TemporaryDirectory()

  private func plan(_ arguments: String..., aged: String) throws -> Plan {
    try PlanBuilder.sample(arguments + ["--aged", aged]).plan()
  }

  /// A setting must not be ignored silently: a workload without aged stores states the reason.
  @Test func `every workload starts from an aged store, or says why not`() throws {
    let cells = try plan("-b", "sqlite:journal=wal", "-w", "*", "-n", "100", aged: "0,3").cells
    #expect(cells.filter { $0.cell.aged == 0 }.allSatisfy { $0.refusal == nil })
    let aged = cells.filter { $0.cell.aged == 3 }
    #expect(aged.count == Workloads.all.count && cells.count == 2 * aged.count)
    let refused = aged.filter { $0.refusal != nil }
    #expect(
      Set(refused.map(\.cell.workload.id)).isSuperset(of: [
        "four-lines", "import", "transfer", "settings", "config", "country-crud", "relations", "cascade",
      ]))
    // Most workloads start from the plain records.
    #expect(2 * refused.count < aged.count)
    #expect(
      refused.allSatisfy {
        $0.refusal?.status == .notAvailable && $0.refusal?.note.contains($0.cell.workload.id) == true
      })
    #expect(
      refused.first { $0.cell.workload.id == "import" }?.refusal?.note
        == "import starts with an empty store, which has no age")
    // Only the plain records are aged, so the fixture must hold exactly these.
    for planned in aged where planned.refusal == nil {
      let workload = try Catalog.whole.workload(planned.cell.workload)
      let source = GeneratedRecords(count: 5, bytes: 10, seed: 1)
      let fixture = try workload.fixture(of: source)
      #expect(fixture.schema == nil && fixture.records.count == 1)
      #expect(fixture.records[0].all.elementsEqual(source.all) { $0.isIdentical(to: $1) }, "\(planned.cell.name)")
    }
  }

  @Test func `what leaves nothing behind has no age, and where nothing has one it is refused`() throws {
    let cells = try plan("-b", "memory,lmdb", "-w", "save-one", aged: "3").cells
    #expect(cells.map(\.refusal?.status) == [.notAvailable, nil])
    for (backend, workload, reason) in [
      ("lmdb", "import", "import starts with an empty store, which has no age"),
      ("lmdb", "transfer", "transfer has its own model, whose stores are not aged"),
      ("memory", "save-one", "nothing of it is left from one session to the next that could age"),
    ] {
      expectUsageError("--aged 3: \(reason); leave --aged out") { try plan("-b", backend, "-w", workload, aged: "3") }
    }
    // With age 0 there are cells to run.
    #expect(try plan("-b", "lmdb", "-w", "transfer", aged: "0").cells.count == 1)
  }

  @Test func `an aged store takes time and room, once for all that start from it`() throws {
    func estimate(_ workloads: String, aged: String) throws -> (seconds: Double, bytes: Int) {
      let plan = try plan("-b", "sqlite", "-w", workloads, "-n", "10000", aged: aged)
      return (PlanEstimate.seconds(plan), PlanEstimate.bytes(plan))
    }
    let young = try estimate("read-one", aged: "0")
    let aged = try estimate("read-one", aged: "10")
    let twice = try estimate("read-one,read-hot", aged: "10")
    let both = try estimate("read-one,read-hot", aged: "0")
    #expect(aged.seconds - young.seconds > 1)
    #expect(abs((twice.seconds - both.seconds) - (aged.seconds - young.seconds)) < 0.01)
    #expect(aged.bytes > young.bytes)
  }

  private func sample(aged: Int) -> PlannedCell {
    .sample(Cell.sample().with { $0.aged = aged })
  }

  @Test func `each age has a separate fixture, which later seeds and ages do not find`() async throws {
    let plan = Plan(rounds: 1, scratch: directory.path, cells: [sample(aged: 0), sample(aged: 3), sample(aged: 4)])
    let launcher = ScriptedLauncher()
    #expect(try await runScripted(plan, launcher, in: directory))
    #expect(launcher.launches.filter { $0.task == .fixture }.map(\.cell.aged).sorted() == [0, 3, 4])
    // The scratch directory of an earlier run.
    var other = plan
    other.seed = plan.seed + 1
    let next = TemporaryDirectory()
    try FileManager.default.moveItem(atPath: directory.path + "/scratch", toPath: next.path + "/scratch")
    let second = ScriptedLauncher()
    #expect(try await runScripted(other, second, in: next))
    #expect(second.launches.count { $0.task == .fixture } == 3)
  }

  @Test func `a fixture that was interrupted is built anew, and nothing of the half is left`() async throws {
    let plan = Plan(rounds: 1, scratch: directory.path, cells: [sample(aged: 3)])
    let half = ScriptedLauncher { request in
      try Data("half".utf8).write(to: URL(fileURLWithPath: "\(request.store)/file"))
      throw CancellationError()
    }
    await #expect(throws: CancellationError.self) { _ = try await runScripted(plan, half, in: directory) }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: directory.path).filter { $0.hasSuffix("file") }.isEmpty)
    let whole = ScriptedLauncher { request in
      if request.task == .fixture { try Data("whole".utf8).write(to: URL(fileURLWithPath: "\(request.store)/file")) }
      if request.task == .timed {
        #expect(FileManager.default.contents(atPath: "\(request.store)/file") == Data("whole".utf8))
      }
      return .answered(.ordinary(request))
    }
    #expect(try await runScripted(plan, whole, in: directory))
    #expect(whole.launches.count { $0.task == .fixture } == 1)
  }

  @Test func `what does not succeed in memory is built on the disk`() async throws {
    let scratch = try Scratch(directory.path + "/scratch")
    defer { scratch.close(keepingFixtures: false) }
    let memory = try #require(MemoryDirectory(parent: Linux.sharedMemory, room: 1 << 30))
    defer { memory.close() }
    for fails in [false, true] {
      let launcher = ScriptedLauncher { request in
        if fails, request.directory.hasPrefix(memory.scratch.path) { return .exited(code: 1, errors: "no room") }
        try Data("store".utf8).write(to: URL(fileURLWithPath: "\(request.store)/file"))
        return .answered(.ordinary(request))
      }
      let request = TrialRequest(
        task: .timed, cell: sample(aged: fails ? 4 : 3).cell, seed: 1, payload: "random", directory: "", trialTime: 1)
      let fixtures = Fixtures(scratch: scratch, memory: memory, launcher: launcher)
      let path = try await fixtures.path("fixture-\(fails)", for: request)
      #expect(path.hasPrefix(scratch.fixtures))
      #expect(FileManager.default.contents(atPath: "\(path)/file") == Data("store".utf8))
      let isInMemory = launcher.launches.map { $0.directory.hasPrefix(memory.scratch.path) }
      #expect(isInMemory == (fails ? [true, false] : [true]))
      #expect(try FileManager.default.contentsOfDirectory(atPath: memory.scratch.trials).isEmpty)
    }
  }
}
