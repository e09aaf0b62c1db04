import Foundation
import StorageContract
import StorageRunFiles
import Testing

@testable import StorageBench

@Suite struct ResumeTests: ScriptedRuns {
  let directory = TemporaryDirectory()
  let observer = EventList()

  private let plan = Plan(
    rounds: 3, cells: ["save-one", "import", "read-one", "iterate"].map { PlannedCell.sample("page", $0) })

  /// Expects every trial of the plan exactly once.
  private func expectComplete(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let passes = ["cost 0"] + (1...plan.rounds).map { "timed \($0)" }
    let expected = plan.cells.flatMap { cell in passes.map { "\(cell.cell.name) \($0)" } }
    let found = try trials().map { "\($0.cell.name) \($0.pass.rawValue) \($0.round ?? 0)" }
    #expect(found.sorted() == expected.sorted(), sourceLocation: sourceLocation)
  }

  @Test(arguments: 0...16)
  func whereverARunEndsTheRestIsDone(lines: Int) async throws {
    #expect(try await run(plan, ScriptedLauncher()))
    try expectComplete()
    let all = try Data(contentsOf: directory.run.trialsURL).split(separator: 0x0A)
    // The journal after so many trials, and a part of the next line.
    var kept = Data(all.prefix(lines).map { $0 + [0x0A] }.joined())
    if lines < all.count { kept += all[lines].prefix(20) }
    try kept.write(to: directory.run.trialsURL)
    let launcher = ScriptedLauncher()
    #expect(try await run(plan, launcher))
    try expectComplete()
    #expect(launcher.launches.count { $0.task == .timed || $0.task == .cost } == 16 - lines)
    #expect(lines < 16 || launcher.launches.isEmpty)
    // Trials after the interruption are marked as resumed. A run without a trial is begun, not resumed.
    let resumed = try trials().map(\.resumed)
    #expect(resumed == Array(repeating: false, count: lines) + Array(repeating: lines > 0, count: 16 - lines))
  }

  @Test(arguments: [1, 3, 5, 8, 12]) func cancellationLeavesTheJournalWhole(stop: Int) async throws {
    let directory = TemporaryDirectory()
    let plan = plan
    let launcher = ScriptedLauncher(duration: 200_000)
    let run = directory.run
    let task = Task { try await runScripted(plan, launcher, in: directory) }
    while launcher.launches.count < stop { try await Task.sleep(nanoseconds: 100_000) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let bytes = try Data(contentsOf: run.trialsURL)
    #expect(bytes.isEmpty || bytes.last == 0x0A)
    var states: [Status] = []
    let end = try run.trials.forEach { states.append($0.status) }
    #expect(!end.isTruncated)
    // An interrupted trial is no failure of its cell.
    #expect(states.allSatisfy { $0 == .ok })
    #expect(states.count < 16)
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/scratch/trials"))
  }

  @Test func afterAnInterruptionNothingIsDoneTwice() async throws {
    let first = ScriptedLauncher { request in
      if request.task == .timed, request.cell.workload.id == "iterate" { throw CancellationError() }
      return .answered(.ordinary(request))
    }
    await #expect(throws: CancellationError.self) { try await run(plan, first) }
    let done = try trials().count
    #expect(done < 4)
    let second = ScriptedLauncher()
    #expect(try await run(plan, second))
    try expectComplete()
    #expect(second.launches.count { $0.task == .timed } == 12 - done)
    // The fixtures of the first part are reused.
    let built = (first.launches + second.launches).filter { $0.task == .fixture }
    #expect(built.count == 1)
  }

  @Test func aFailedCellStaysFailed() async throws {
    let failing = ScriptedLauncher { request in
      request.cell.workload.id == "import" ? .exceededLimit : .answered(.ordinary(request))
    }
    #expect(try await !run(plan, failing))
    let launcher = ScriptedLauncher()
    #expect(try await !run(plan, launcher))
    #expect(launcher.launches.isEmpty)
  }

  @Test func theSecondRunOnOneScratchIsRefused() throws {
    let scratch = try Scratch(directory.path + "/scratch")
    expectUsageError("is in use by another run") { try Scratch(directory.path + "/scratch") }
    scratch.close(keepingFixtures: false)
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/scratch"))
    let next = try Scratch(directory.path + "/scratch")
    next.close(keepingFixtures: false)
  }

  @Test func aScratchDirectoryOfTheUsersStays() throws {
    let file = try directory.write("mine", "x")
    #expect(throws: UsageError.self) { _ = try Scratch(directory.path) }
    let scratch = try Scratch(try Scratch.directory(directory.path, out: "/elsewhere"))
    _ = try scratch.makeTrialDirectory()
    // Paths outside of the scratch directory cannot be removed.
    scratch.directory.remove(file)
    scratch.directory.remove("\(scratch.path)/../mine")
    scratch.close(keepingFixtures: false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["mine"])
  }

  /// A lock belongs to an open descriptor, so threads stand for processes.
  @Test func `claims that begin at once leave no directory without an owner`() async throws {
    let directory = TemporaryDirectory()
    for round in 0..<50 {
      let name = "\(directory.path)/\(round)/run"
      let claims = try await withThrowingTaskGroup(of: OwnedDirectory.self) { group in
        for _ in 0..<6 { group.addTask { try OwnedDirectory.claimNew(name, flag: "--out") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(claims.allSatisfy { $0.isNew })
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/\(round)")
      #expect(claims.map { ($0.path as NSString).lastPathComponent }.sorted() == names.sorted())
    }
  }
}
