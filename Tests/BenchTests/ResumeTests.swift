import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial
import Testing

@testable import StorageBench

@Suite struct ResumeTests {
  private let directory = TemporaryDirectory()

  private let plan = Plan(
    rounds: 3, cells: ["save-one", "import", "read-one", "iterate"].map { PlannedCell.sample("page", $0) })

  private func run(_ plan: Plan, _ launcher: ScriptedLauncher) async throws -> Bool {
    try await runScripted(plan, launcher, in: directory, keepingFixtures: true)
  }

  private func trials() throws -> [Trial] { try directory.run.allTrials() }

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

  @Test func cancellationLeavesTheJournalWhole() async throws {
    for stop in [1, 3, 5, 8, 12] {
      let directory = TemporaryDirectory()
      let plan = plan
      let launcher = ScriptedLauncher(duration: 200_000)
      let run = directory.run
      let task = Task { try await runScripted(plan, launcher, in: directory, keepingFixtures: true) }
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
    scratch.remove(file)
    scratch.remove("\(scratch.path)/../mine")
    scratch.close(keepingFixtures: false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["mine"])
  }
}
