import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// Runs one trial: its own directory, its own copy of the fixture, its own processes, one line for the journal.
struct TrialRun: Sendable {
  let plan: Plan
  let catalog: Catalog
  let directory: RunDirectory
  let scratch: Scratch
  let launcher: any TrialLauncher
  let fixtures: Fixtures
  /// How much longer each cell's operations are made in a drill, by its place in the plan; see
  /// ``MeasuringLoop/slowdown``.
  let slowdowns: [Int: Double]
  private let numbers = Counter()
  private let verifiedFixtures = VerifiedFixtures()

  init(
    plan: Plan, catalog: Catalog, directory: RunDirectory, scratch: Scratch, launcher: any TrialLauncher,
    fixtures: Fixtures, slowdowns: [Int: Double] = [:]
  ) {
    self.plan = plan
    self.catalog = catalog
    self.directory = directory
    self.scratch = scratch
    self.launcher = launcher
    self.fixtures = fixtures
    self.slowdowns = slowdowns
  }

  /// Runs a timed trial of a cell, or one that is neither timed nor counted. Whatever goes wrong in it becomes a
  /// failed trial; only interruption is thrown.
  func run(
    _ index: Int, _ pass: Pass, round: Int?, position: Int?, isSlow: Bool = false
  ) async throws -> Trial {
    var trial = trial(index, pass, round: round, position: position)
    try await attempt(&trial) { trial in
      let request = try await request(index, pass, isSlow: isSlow)
      defer { scratch.remove(request.directory) }
      try await take(answer(request, limit: plan.cellLimit), into: &trial)
    }
    return trial
  }

  /// A cost pass that has counted, and left a store to be verified.
  struct Counted: Sendable {
    fileprivate var trial: Trial
    /// What the process was asked that counted, or nil if it has failed.
    fileprivate var request: TrialRequest?
    fileprivate var operations: Int?
    fileprivate var limit: Int64
    /// The fixture that a cell which only reads has started from.
    fileprivate var readFixture: String?
  }

  /// Runs the first half of a cost pass.
  ///
  /// - Parameter expected: Nanoseconds that an operation has taken or was predicted to take, or nil if nothing is known.
  func count(_ index: Int, expected: Double? = nil) async throws -> Counted {
    let limit = countLimit(index, expected: expected)
    let isReading = plan.cells[index].cell.durability == nil
    var counted = Counted(
      trial: trial(index, .cost), limit: limit, readFixture: isReading ? fixtureName(index) : nil)
    var operations: Int?
    try await attempt(&counted.trial) { trial in
      let request = try await request(index, .cost)
      do {
        let response = try await answer(request, limit: limit)
        try take(response, into: &trial)
        operations = response.operations
        if plan.keepStores { try keep(request.store, trial.cell) }
      } catch {
        scratch.remove(request.directory)
        throw error
      }
      counted.request = request
    }
    counted.operations = operations
    return counted
  }

  /// Runs the second half: a process that has only the files to go by looks at what the first one left.
  ///
  /// A store that was only read, and is still the same as its fixture, byte for byte, is verified once and not for
  /// every cell that starts from that fixture.
  func verify(_ counted: Counted) async throws -> Trial {
    var trial = counted.trial
    guard var request = counted.request else { return trial }
    defer { scratch.remove(request.directory) }
    try await attempt(&trial) { trial in
      let unchanged = counted.readFixture.flatMap { name in
        request.fixture.flatMap { StoreFiles.areEqual($0, request.store) ? name : nil }
      }
      var found = unchanged.flatMap { verifiedFixtures.cost(of: $0) }
      if found == nil {
        request.task = .verify
        request.operations = counted.operations
        found = try await answer(request, limit: counted.limit).cost
        if let unchanged { verifiedFixtures.keep(found, of: unchanged) }
      }
      trial.cost?.storedBytes = found?.storedBytes
      trial.cost?.digest = found?.digest
      trial.note = trial.note ?? Self.unseenCalls(trial.cost)
    }
    return trial
  }

  /// Builds the store that a cell's trials start from, if they need one. What goes wrong is said by the trials.
  func prepareFixture(_ index: Int) async throws {
    guard let name = fixtureName(index) else { return }
    _ = try? await fixtures.path(name, for: bareRequest(index, .timed, directory: ""), limit: fixtureLimit)
    try Task.checkCancellation()
  }

  /// What tells the store apart that a cell's trials start from, or nil if they start from none.
  func fixtureName(_ index: Int) -> String? {
    let cell = plan.cells[index].cell
    guard !plan.cells[index].isFloor, let workload = try? catalog.workload(cell.workload),
      !type(of: workload).description.startsEmpty
    else { return nil }
    return Fixtures.name(cell, workload)
  }

  private struct TrialFailure: Error, CustomStringConvertible {
    let description: String
  }

  private func trial(_ index: Int, _ pass: Pass, round: Int? = nil, position: Int? = nil) -> Trial {
    Trial(
      cell: plan.cells[index].cell, pass: pass, round: round, position: position,
      started: Date().timeIntervalSince1970, wall: 0, status: .ok)
  }

  /// Does a part of a trial, adds its time, and turns what goes wrong into the trial's failure.
  private func attempt(_ trial: inout Trial, _ body: (inout Trial) async throws -> Void) async throws {
    let started = Date()
    do {
      try await body(&trial)
    } catch let error as CancellationError {
      throw error
    } catch let failure as TrialFailure {
      trial.fail(failure.description)
    } catch {
      // A disk that is full here is the trial's misfortune, not the end of the run.
      try Task.checkCancellation()
      trial.fail(error.sentence)
    }
    trial.wall += Date().timeIntervalSince(started)
  }

  private func take(_ response: TrialResponse, into trial: inout Trial) throws {
    trial.note = response.note
    trial.settings = response.settings
    trial.streamHash = response.streamHash
    trial.timing = response.timing
    trial.cost = response.cost
    if let timing = response.timing {
      trial.timedOnce = TimedOnce.isEnough(
        operations: timing.operations, elapsed: timing.elapsed, opening: response.opening ?? 0)
    }
  }

  private func bareRequest(_ index: Int, _ pass: Pass, isSlow: Bool = false, directory: String) -> TrialRequest {
    TrialRequest(
      task: pass.task, cell: plan.cells[index].cell, seed: plan.seed, payload: plan.payload, dataset: plan.dataset,
      directory: directory, trialTime: plan.trialTime, rate: plan.rate,
      onceLimit: pass == .timed ? TimedOnce.limit : nil, isSlow: isSlow,
      slowdown: slowdowns[index])
  }

  /// A request with a directory of its own, and a copy of the fixture in it.
  private func request(_ index: Int, _ pass: Pass, isSlow: Bool = false) async throws -> TrialRequest {
    var request = bareRequest(
      index, pass, isSlow: isSlow, directory: try scratch.makeTrialDirectory(numbers.next()))
    guard let name = fixtureName(index) else { return request }
    do {
      let fixture = try await fixtures.path(name, for: request, limit: fixtureLimit)
      try StoreFiles.copy(fixture, to: request.store)
      request.fixture = fixture
      return request
    } catch {
      scratch.remove(request.directory)
      throw error
    }
  }

  private var fixtureLimit: Int64 { max(plan.cellLimit, 120_000_000_000) }

  /// A timed trial stops by itself; a cost pass does as many operations as counts need, however slow the disk. Beyond
  /// the limit of a trial it has three times as long as these were expected to take.
  private func countLimit(_ index: Int, expected: Double?) -> Int64 {
    guard let operations = try? catalog.countedOperations(of: plan.cells[index].cell) else { return plan.cellLimit }
    return plan.cellLimit + Int64(min(1e18, 3 * Double(operations) * (expected ?? Self.unknownOperation)))
  }

  /// Nanoseconds allowed to an operation that was never timed: two syncs of a hard disk.
  private static var unknownOperation: Double { 20_000_000 }

  private func answer(_ request: TrialRequest, limit: Int64) async throws -> TrialResponse {
    let outcome = try await launcher.launch(request, limit: limit)
    guard case .answered(let response) = outcome, response.failure == nil else {
      throw TrialFailure(description: outcome.sentence(limit: limit))
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

extension Trial {
  /// Marks the trial as failed. No figure of it is kept.
  fileprivate mutating func fail(_ note: String) {
    status = .failed
    self.note = note
    (settings, streamHash, timing, cost) = (nil, nil, nil, nil)
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

/// What verifying a store found that was still byte for byte its fixture, by the fixture's name.
private final class VerifiedFixtures: @unchecked Sendable {
  private let lock = NSLock()
  private var costs: [String: Cost] = [:]

  func cost(of fixture: String) -> Cost? { lock.withLock { costs[fixture] } }

  func keep(_ cost: Cost?, of fixture: String) { lock.withLock { costs[fixture] = cost } }
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
