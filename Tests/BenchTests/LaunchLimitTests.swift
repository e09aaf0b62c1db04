import Foundation
import StorageContract
import StorageWorkloads
import Testing

@testable import StorageBench
@testable import StorageTrial

@Suite(.serialized) struct LaunchLimitTests {
  private let directory = TemporaryDirectory()
  /// Nanoseconds. Five times the half second of a commit, but less than all commits of a trial.
  private let limit: Int64 = 2_500_000_000

  init() throws {
    for part in ["store", "tmp"] { try directory.makeDirectory(part) }
  }

  private func request(_ task: TrialRequest.Task, _ cell: Cell) -> TrialRequest {
    TrialRequest(task: task, cell: cell, seed: 1, payload: "random", directory: directory.path, trialTime: 1)
  }

  /// The request of a timed trial of the null backend.
  private var timed: TrialRequest { request(.timed, .sample("null", records: 10)) }

  private func launch(
    _ task: TrialRequest.Task, _ backend: String, _ workload: String, _ limit: LaunchLimit
  ) async throws -> LaunchOutcome {
    var cell = Cell.sample(backend, records: 10)
    cell.workload = try Catalog(backends: [], workloads: Workloads.all).workloadSpec(workload)
    return try await ProcessLauncher.misbehaving.launch(request(task, cell), limit: limit, turn: nil)
  }

  private func count(_ backend: String, _ workload: String, _ limit: LaunchLimit) async throws -> LaunchOutcome {
    if workload == "save-one" { _ = try await launch(.fixture, backend, workload, .silence(60_000_000_000)) }
    return try await launch(.cost, backend, workload, limit)
  }

  private func isAnswered(_ outcome: LaunchOutcome) -> Bool {
    if case .answered(let response) = outcome { response.failure == nil && response.cost != nil } else { false }
  }

  /// Each of eight saves is progress. An import is one operation, and only the kernel's counters show its progress.
  @Test(arguments: ["save-one", "import:batch=1"])
  func whoGetsOnIsNotEnded(workload: String) async throws {
    #expect(isAnswered(try await count("dawdles", workload, .silence(limit))))
    // A limit on the whole duration ends the same process.
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/store") {
      try FileManager.default.removeItem(atPath: "\(directory.path)/store/\(name)")
    }
    #expect(try await count("dawdles", workload, .duration(limit)) == .exceededLimit)
  }

  /// For example, a memory limit kills a process while it opens its store, so it never reports that it is prepared.
  @Test(.timeLimit(.minutes(15))) func aProcessThatDiedEarlyIsNotWaitedFor() async throws {
    let (request, turn, limit) = (timed, TrialGate(), LaunchLimit.silence(limit))
    async let outcome = ProcessLauncher(executable: "/bin/false").launch(request, limit: limit, turn: turn)
    await turn.preparation.hasHappened()
    turn.beginning.happen()
    await turn.stop.hasHappened()
    #expect(try await outcome == .exited(code: 1, errors: ""))
  }

  /// For example, the limit on the number of processes is reached.
  @Test(.timeLimit(.minutes(15))) func aProcessThatCannotBeStartedIsNotWaitedFor() async throws {
    let (turn, launcher) = (TrialGate(), ProcessLauncher(executable: "\(directory.path)/missing"))
    await #expect(throws: (any Error).self) {
      _ = try await launcher.launch(timed, limit: .duration(limit), turn: turn)
    }
    await turn.start.hasHappened()
    await turn.preparation.hasHappened()
    #expect(turn.beginning.date == nil)
  }

  /// A process that hangs while it opens its store is ended before it is timed. Time in which it is paused is left out.
  @Test(.timeLimit(.minutes(15))) func whoIsStuckBeforeItsTurnIsEnded() async throws {
    let program = try directory.write("stuck", "#!/bin/sh\nexec sleep 600\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let (request, turn, limit) = (timed, TrialGate(), LaunchLimit.duration(limit / 10))
    let allowed = try #require(limit.preparing)
    turn.pause(true)
    let began = ContinuousClock.now
    async let outcome = ProcessLauncher(executable: program).launch(request, limit: limit, turn: turn)
    try await Task.sleep(nanoseconds: UInt64(3 * allowed))
    turn.pause(false)
    await turn.preparation.hasHappened()
    #expect(ContinuousClock.now - began >= .nanoseconds(4 * allowed - allowed / 10))
    #expect(try await outcome == .exceededLimit)
    #expect(turn.beginning.date == nil)
  }

  /// The parent was killed right after it paused the process, so no process continues it.
  @Test(.timeLimit(.minutes(15))) func aPausedProcessEndsByItself() async throws {
    var request = timed
    (request.hasTurn, request.lifetime) = (true, 2)
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: ProcessLauncher.misbehaving.executable)
    process.arguments = try request.arguments()
    (process.standardInput, process.standardOutput) = (input, output)
    let began = ContinuousClock.now
    try process.run()
    // The process reports that it is ready to be timed.
    #expect(try output.fileHandleForReading.read(upToCount: 1) == Data("\n".utf8))
    #expect(kill(process.processIdentifier, SIGSTOP) == 0)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
    #expect(ContinuousClock.now - began < .seconds(60))
    try input.fileHandleForWriting.close()
  }

  @Test func whoIsStuckIsEnded() async throws {
    let began = ContinuousClock.now
    #expect(try await count("hangs", "save-one", .silence(limit)) == .exceededLimit)
    #expect(ContinuousClock.now - began >= .nanoseconds(limit))
  }

  @Test func stepsAreReported() async throws {
    let counter = try StepCounter(directory: directory.path)
    #expect(StepCounter.read(in: directory.path)?.process == getpid())
    let before = LaunchLimit.activity(in: directory.path)
    for _ in 0..<3 { counter.step() }
    #expect(StepCounter.read(in: directory.path)?.steps == 3)
    #expect(LaunchLimit.activity(in: directory.path) != before)
    #expect(StepCounter.read(in: directory.path + "/store") == nil)
  }
}

extension ProcessLauncher {
  /// The program with every backend and several misbehaving ones.
  static let misbehaving = ProcessLauncher(
    executable: products.appendingPathComponent("MisbehavingBench").path)
}
