import Contract
import Foundation
import Report

/// Runs one trial: its own directory, its own copy of the fixture, its own processes, one line for the journal.
struct TrialRun: Sendable {
  let plan: Plan
  let catalog: Catalog
  let directory: RunDirectory
  let scratch: Scratch
  let launcher: any TrialLauncher
  let fixtures: Fixtures
  private let numbers = Counter()

  init(
    plan: Plan, catalog: Catalog, directory: RunDirectory, scratch: Scratch, launcher: any TrialLauncher,
    fixtures: Fixtures
  ) {
    self.plan = plan
    self.catalog = catalog
    self.directory = directory
    self.scratch = scratch
    self.launcher = launcher
    self.fixtures = fixtures
  }

  /// Runs a trial of a cell. Whatever goes wrong in it becomes a failed trial; only interruption is thrown.
  func run(
    _ index: Int, _ pass: Pass, round: Int?, position: Int?, isSlow: Bool = false
  ) async throws -> Trial {
    let cell = plan.cells[index].cell
    let started = Date()
    var trial = Trial(
      cell: cell, pass: pass, round: round, position: position, started: started.timeIntervalSince1970, wall: 0,
      status: .ok)
    do {
      let response = try await responses(index, pass, isSlow: isSlow)
      trial.settings = response.settings
      trial.streamHash = response.streamHash
      trial.timing = response.timing
      trial.cost = response.cost
      trial.note = response.note
    } catch let error as CancellationError {
      throw error
    } catch let failure as TrialFailure {
      trial.status = .failed
      trial.note = failure.description
    } catch {
      // A disk that is full here is the trial's misfortune, not the end of the run.
      try Task.checkCancellation()
      trial.status = .failed
      trial.note = error.sentence
    }
    trial.wall = Date().timeIntervalSince(started)
    return trial
  }

  private struct TrialFailure: Error, CustomStringConvertible {
    let description: String
  }

  private func responses(_ index: Int, _ pass: Pass, isSlow: Bool) async throws -> TrialResponse {
    let cell = plan.cells[index].cell
    var request = TrialRequest(
      task: pass.task, cell: cell, seed: plan.seed, payload: plan.payload, dataset: plan.dataset,
      directory: try scratch.makeTrialDirectory(numbers.next()), trialTime: plan.trialTime, rate: plan.rate,
      isSlow: isSlow,
      lifetime: Int(plan.cellLimit / 1_000_000_000) + 10)
    defer { scratch.remove(request.directory) }
    let isVolatile = plan.cells[index].isFloor
    if try !isVolatile && !catalog.workloadType(cell.workload.id).description.startsEmpty {
      let fixture = try await fixtures.path(for: request, limit: max(plan.cellLimit, 120_000_000_000))
      try StoreFiles.copy(fixture, to: request.store)
      request.fixture = fixture
    }
    var response = try await answer(request)
    if pass == .cost {
      if plan.keepStores { try keep(request.store, cell) }
      // A process that has only the files to go by looks at what the first one left.
      request.task = .verify
      request.operations = response.operations
      let verified = try await answer(request)
      response.cost?.storedBytes = verified.cost?.storedBytes
      response.cost?.digest = verified.cost?.digest
      response.note = response.note ?? Self.unseenCalls(response.cost)
    }
    return response
  }

  private func answer(_ request: TrialRequest) async throws -> TrialResponse {
    let outcome = try await launcher.launch(request, limit: plan.cellLimit)
    guard case .answered(let response) = outcome, response.failure == nil else {
      throw TrialFailure(description: outcome.sentence(limit: plan.cellLimit))
    }
    return response
  }

  /// The kernel's own figures are the witness that no call went uncounted.
  private static func unseenCalls(_ cost: Cost?) -> String? {
    guard let cost, let seen = cost.seenBytesWritten, let all = cost.processBytesWritten,
      let seenCalls = cost.seenWriteCalls, let allCalls = cost.processWriteCalls,
      seen != all || seenCalls != allCalls
    else { return nil }
    return "the kernel saw \(allCalls) writes of \(all) bytes, the counters \(seenCalls) of \(seen)"
  }

  private func keep(_ store: String, _ cell: Cell) throws {
    let target = directory.url.appendingPathComponent("stores/\(cell.name)").path
    try? FileManager.default.removeItem(atPath: target)
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    try StoreFiles.copy(store, to: target)
  }
}

extension Pass {
  /// What the child is asked to do first.
  var task: TrialRequest.Task {
    switch self {
    case .timed: .timed
    case .cost: .cost
    case .once: .once
    }
  }
}

/// Numbers for trials' directories, unique within the process.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var last = 0

  func next() -> Int {
    lock.withLock {
      last += 1
      return last
    }
  }
}
