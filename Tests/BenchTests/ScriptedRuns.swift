import Foundation
import StorageRunFiles

@testable import StorageBench

/// Runs a plan with scripted processes in a directory, or resumes the run that is there, and keeps fixtures.
@discardableResult
func runScripted(
  _ plan: Plan, _ launcher: ScriptedLauncher, in directory: TemporaryDirectory, memory: MemoryDirectory? = nil,
  observer: EventList = EventList()
) async throws -> Bool {
  let scratch = try Scratch(directory.path + "/scratch")
  defer { scratch.close(keepingFixtures: true) }
  let session = RunSession(
    plan: plan, directory: directory.run, scratch: scratch, catalog: .page, launcher: launcher)
  return try await Runner(session: session, observer: observer.see, memory: memory).run()
}

/// Tests of runs with scripted processes, in the directory of the test.
protocol ScriptedRuns {
  var directory: TemporaryDirectory { get }
  var observer: EventList { get }
}

extension ScriptedRuns {
  func plan(_ backends: [String] = ["a", "b", "c"], rounds: Int = 3, once: Bool = false) -> Plan {
    plan(backends.map { PlannedCell.sample("page", "save-one").named($0) }, rounds: rounds, once: once)
  }

  func plan(_ cells: [PlannedCell], rounds: Int = 3, once: Bool = false) -> Plan {
    Plan(rounds: once ? 0 : rounds, cellLimit: 1_000_000_000, once: once, scratch: directory.path, cells: cells)
  }

  /// Runs a plan in the test's directory, or resumes the run that is there.
  @discardableResult
  func run(_ plan: Plan, _ launcher: ScriptedLauncher) async throws -> Bool {
    try await runScripted(plan, launcher, in: directory, observer: observer)
  }

  func trials() throws -> [Trial] { try directory.run.allTrials() }
}
