import Foundation
import StorageContract
import StorageWorkloads
import Testing

@testable import StorageBench
@testable import StorageTrial

/// Processes that are slow, and processes that are stuck.
@Suite(.serialized) struct LaunchLimitTests {
  private let directory: TemporaryDirectory
  /// Five times as long as a commit takes, and as much less than all of them.
  private let limit: Int64 = 2_500_000_000

  init() throws {
    directory = try TemporaryDirectory()
    for part in ["store", "tmp"] {
      try FileManager.default.createDirectory(atPath: "\(directory.path)/\(part)", withIntermediateDirectories: true)
    }
  }

  private func launch(
    _ task: TrialRequest.Task, _ backend: String, _ workload: String, records: Int = 10, _ limit: LaunchLimit
  ) async throws -> LaunchOutcome {
    var cell = Cell.sample(backend, records: records)
    cell.workload = try Catalog(backends: [], workloads: Workloads.all).workloadSpec(workload)
    let request = TrialRequest(
      task: task, cell: cell, seed: 1, payload: "random", dataset: nil,
      directory: directory.path, trialTime: 1)
    return try await ProcessLauncher.misbehaving.launch(request, limit: limit)
  }

  private func count(_ backend: String, _ workload: String, _ limit: LaunchLimit) async throws -> LaunchOutcome {
    if workload == "save-one" { _ = try await launch(.fixture, backend, workload, .silence(60_000_000_000)) }
    return try await launch(.cost, backend, workload, limit)
  }

  private func isAnswered(_ outcome: LaunchOutcome) -> Bool {
    if case .answered(let response) = outcome { response.failure == nil && response.cost != nil } else { false }
  }

  /// Eight saves of half a second, each of which is told; ten in one operation, of which only the kernel knows.
  @Test(arguments: ["save-one", "import:batch=1"])
  func whoGetsOnIsNotEnded(workload: String) async throws {
    #expect(isAnswered(try await count("dawdles", workload, .silence(limit))))
    // Whoever looks at the time alone takes the same process for stuck.
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/store") {
      try FileManager.default.removeItem(atPath: "\(directory.path)/store/\(name)")
    }
    #expect(try await count("dawdles", workload, .duration(limit)) == .exceededLimit)
  }

  /// As where a limit of memory ends it while it opens its store. The clocks of others wait until it is prepared, which
  /// it never tells.
  @Test(.timeLimit(.minutes(1))) func nobodyWaitsForAProcessThatDiedBeforeItsTurn() async throws {
    let request = TrialRequest(
      task: .timed, cell: .sample("null", records: 10), seed: 1, payload: "random", dataset: nil,
      directory: directory.path, trialTime: 1)
    let (turn, limit) = (TrialGate(), LaunchLimit.silence(limit))
    async let outcome = ProcessLauncher(executable: "/bin/false").launch(request, limit: limit, turn: turn)
    await turn.isPrepared()
    turn.begin()
    await turn.clockHasStopped()
    #expect(try await outcome == .exited(code: 1, errors: ""))
  }

  /// As where there are as many processes already as there may be.
  @Test(.timeLimit(.minutes(1))) func nobodyWaitsForAProcessThatCannotBeStarted() async throws {
    let request = TrialRequest(
      task: .timed, cell: .sample("null", records: 10), seed: 1, payload: "random", dataset: nil,
      directory: directory.path, trialTime: 1)
    let (turn, launcher) = (TrialGate(), ProcessLauncher(executable: "\(directory.path)/missing"))
    await #expect(throws: (any Error).self) {
      _ = try await launcher.launch(request, limit: .duration(limit), turn: turn)
    }
    await turn.hasStarted()
    await turn.isPrepared()
    #expect(turn.began == nil)
  }

  /// A process that does not come back from opening its store is ended before its turn, and nobody waits for it. While it
  /// is paused, it may take as long as the others.
  @Test(.timeLimit(.minutes(1))) func whoIsStuckBeforeItsTurnIsEnded() async throws {
    let program = "\(directory.path)/stuck"
    try Data("#!/bin/sh\nexec sleep 600\n".utf8).write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let request = TrialRequest(
      task: .timed, cell: .sample("null", records: 10), seed: 1, payload: "random", dataset: nil,
      directory: directory.path, trialTime: 1)
    let (turn, limit) = (TrialGate(), LaunchLimit.duration(limit / 10))
    let allowed = try #require(limit.preparing)
    turn.pause(true)
    let began = ContinuousClock.now
    async let outcome = ProcessLauncher(executable: program).launch(request, limit: limit, turn: turn)
    try await Task.sleep(nanoseconds: UInt64(3 * allowed))
    turn.pause(false)
    await turn.isPrepared()
    #expect(ContinuousClock.now - began >= .nanoseconds(4 * allowed - allowed / 10))
    #expect(try await outcome == .exceededLimit)
    #expect(turn.began == nil)
  }

  /// One whose parent was killed in the moment of pausing it: nobody is left to let it go on.
  @Test(.timeLimit(.minutes(1))) func aPausedProcessEndsByItself() async throws {
    var request = TrialRequest(
      task: .timed, cell: .sample("null", records: 10), seed: 1, payload: "random", dataset: nil,
      directory: directory.path, trialTime: 1)
    (request.hasTurn, request.lifetime) = (true, 2)
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: ProcessLauncher.misbehaving.executable)
    process.arguments = try request.arguments()
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    // It tells that it only waits for its turn.
    #expect(try output.fileHandleForReading.read(upToCount: 1) == Data("\n".utf8))
    #expect(kill(process.processIdentifier, SIGSTOP) == 0)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
    try input.fileHandleForWriting.close()
  }

  @Test func whoIsStuckIsEnded() async throws {
    let began = ContinuousClock.now
    #expect(try await count("hangs", "save-one", .silence(limit)) == .exceededLimit)
    #expect(ContinuousClock.now - began >= .nanoseconds(limit))
  }

  @Test func stepsAreTold() async throws {
    let counter = try StepCounter(directory: directory.path)
    #expect(StepCounter.read(in: directory.path)?.process == getpid())
    let before = ChildActivity(directory: directory.path)
    for _ in 0..<3 { counter.step() }
    #expect(StepCounter.read(in: directory.path)?.steps == 3)
    #expect(ChildActivity(directory: directory.path) != before)
    #expect(StepCounter.read(in: directory.path + "/store") == nil)
  }
}

extension ProcessLauncher {
  /// Starts the program that has every backend, and some that misbehave.
  static let misbehaving = ProcessLauncher(
    executable: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("MisbehavingBench").path)
}
