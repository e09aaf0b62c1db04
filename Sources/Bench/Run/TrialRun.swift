import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageTrial
import StorageVerify

/// The execution of trials. A trial is a process that measures one benchmark with a copy of the initial store.
struct TrialRun: Sendable {
  private let session: RunSession
  private let scratch: Scratch
  private let memory: MemoryDirectory?
  private let fixtures: Fixtures
  private let slowdowns: [Int: Double]
  private let freeBytes: @Sendable (String) -> Int?
  private let verified: VerifiedStores

  /// Creates the execution of a session's trials. `stores` is the directory of their stores, by default that of the
  /// session. `slowdowns` is for a self-test, by benchmark index: 0.2 makes operations 20 % longer.
  init(
    _ session: RunSession, stores: Scratch? = nil, memory: MemoryDirectory? = nil, slowdowns: [Int: Double] = [:],
    freeBytes: @escaping @Sendable (String) -> Int? = Linux.freeBytes
  ) {
    self.session = session
    scratch = stores ?? session.scratch
    self.memory = memory
    self.slowdowns = slowdowns
    self.freeBytes = freeBytes
    fixtures = Fixtures(scratch: session.scratch, memory: memory, launcher: session.launcher)
    verified = VerifiedStores(session.plan, scratch, memory: memory?.scratch)
  }

  var plan: Plan { session.plan }

  /// Runs a trial of the benchmark at `index`. With a gate, the process waits before it starts its clock. Throws an
  /// error only if it would also stop every other trial, such as a full disk.
  func run(
    _ index: Int, _ pass: Pass, round: Int?, position: Int?, isSlow: Bool = false, isLengthened: Bool = false,
    turn: TrialGate? = nil
  ) async throws -> Trial {
    // No task may wait for the gate of a trial that has ended.
    defer { turn?.end() }
    var trial = trial(index, pass, round: round, position: position)
    if isLengthened { trial.lengthened = true }
    try await attempt(&trial, turn) { trial in
      let task: TrialRequest.Task =
        switch pass {
        case .timed: .timed
        case .cost: .cost
        case .once: .once
        }
      var request = try await request(index, task, in: scratch)
      request.isSlow = isSlow
      request.trialTime = plan.trialTime(plan.cells[index], isLengthened: isLengthened)
      request.usualTrialTime = plan.trialTime
      request.stream = round.flatMap { plan.stream(ofRound: $0) }
      defer { remove(request.directory) }
      try take(try await answer(request, turn), into: &trial, turn)
    }
    return trial
  }

  /// The result of a process that has counted system calls. The store of the process must still be verified.
  struct Counted: Sendable {
    fileprivate let index: Int
    fileprivate var trial: Trial
    fileprivate var request: TrialRequest?
    fileprivate var wasSilent: Bool

    /// Whether the system calls must be counted again, with the store on the disk instead of in memory.
    fileprivate var isToBeRepeated: Bool { trial.status == .failed && trial.inMemory == true && !wasSilent }
  }

  func count(_ index: Int) async throws -> Counted {
    if let memory, memory.takes(plan.cells[index]) {
      let counted = try await count(index, in: memory.scratch)
      if !counted.isToBeRepeated { return counted }
    }
    return try await count(index, in: scratch)
  }

  private func count(_ index: Int, in stores: Scratch) async throws -> Counted {
    let isInMemory = stores !== scratch
    var trial = trial(index, .cost)
    trial.inMemory = isInMemory
    var answered: TrialRequest?
    let wasSilent = try await attempt(&trial) { trial in
      var request = try await request(index, .cost, in: stores)
      do {
        let response = try await answer(request)
        try take(response, into: &trial)
        if isInMemory { trial.cost?.fileBytesAllocated = allocated(request.store) }
        if plan.keepStores { try keep(request.store, trial.cell) }
        request.operations = response.operations
        answered = request
      } catch {
        remove(request.directory)
        throw error
      }
    }
    return Counted(index: index, trial: trial, request: answered, wasSilent: wasSilent)
  }

  /// Copies a store from memory to the disk, and returns the bytes that it occupies there; nil if copying fails.
  private func allocated(_ store: String) -> Int? {
    guard let directory = try? scratch.makeTrialDirectory() else { return nil }
    defer { remove(directory) }
    let copy = "\(directory)/store"
    guard (try? DirectoryFiles.copy(store, to: copy)) != nil else { return nil }
    return StoreFiles.sizes(copy).allocated
  }

  /// Verifies a store in a second process, after its system calls were counted. For a store that equals a verified
  /// store, the earlier result is used.
  func verify(_ counted: Counted) async throws -> Trial {
    guard var request = counted.request else { return counted.trial }
    defer { remove(request.directory) }
    var result = counted
    result.wasSilent = try await attempt(&result.trial) { trial in
      var found = verified.response(for: request)
      if found == nil {
        request.task = .verify
        let response = try await answer(request)
        found = response
        verified.keep(response, of: request)
      }
      trial.cost?.storedBytes = found?.cost?.storedBytes
      trial.cost?.digest = found?.cost?.digest
      if let layout = found?.findings { trial.findings = (trial.findings ?? []) + layout }
      trial.note = trial.note ?? Self.unseenCalls(trial.cost)
    }
    return result.isToBeRepeated ? try await verify(count(result.index, in: scratch)) : result.trial
  }

  /// Records the system calls of a benchmark's first operations. Returns the path of their log, and the answer.
  func traced(_ index: Int, recordsSQL: Bool = false) async throws -> (log: String, response: TrialResponse) {
    do {
      var request = try await request(index, .trace, in: scratch)
      defer { remove(request.directory) }
      request.recordsSQL = recordsSQL
      return (request.log, try await answer(request))
    } catch {
      try checkSpace(trial(index, .once), after: error)
      throw error
    }
  }

  /// Builds the initial store of a benchmark. Errors are ignored, because each measuring process reports them.
  func prepareFixture(_ index: Int) async throws {
    guard let name = fixtureName(index) else { return }
    _ = try? await fixtures.path(name, for: bareRequest(index, .timed, directory: ""))
    try Task.checkCancellation()
  }

  func fixtureName(_ index: Int) -> String? {
    let cell = plan.cells[index].cell
    guard !plan.cells[index].isFloor, let workload = try? session.catalog.workload(cell.workload),
      !type(of: workload).description.startsEmpty
    else { return nil }
    return Fixtures.name(cell, workload, readDurability: plan.cells[index].readDurability)
  }

  private func remove(_ directory: String) {
    for stores in [scratch, memory?.scratch] { stores?.directory.remove(directory) }
  }

  private func trial(_ index: Int, _ pass: Pass, round: Int? = nil, position: Int? = nil) -> Trial {
    Trial(
      cell: plan.cells[index].cell, pass: pass, round: round, position: position,
      started: Date().timeIntervalSince1970, wall: 0, status: .ok)
  }

  /// Runs `body`, and adds its duration to the trial. An error of `body` usually makes only this trial fail.
  ///
  /// - Returns: Whether the process was killed because it took too long or showed no activity for too long.
  /// - Throws: `CancellationError`; an error that would also stop every other trial, such as a full disk.
  @discardableResult
  private func attempt(
    _ trial: inout Trial, _ turn: TrialGate? = nil, _ body: (inout Trial) async throws -> Void
  ) async throws -> Bool {
    let started = Date()
    var wasSilent = false
    do {
      try await body(&trial)
    } catch
      where error is CancellationError || error is ExitStatus.Failure
      || error is FileWriteError && trial.inMemory != true
    {
      // Every other trial would fail in the same way, so the run ends.
      throw error
    } catch let failure as TrialFailure {
      try checkSpace(trial, after: failure)
      trial.fail(failure.description)
      if failure.isLimit {
        trial.status = .notAvailable
        trial.findings = [Finding(MemoryFindings.ended, 1, .first)]
      }
      wasSilent = failure.isSilence
    } catch {
      try Task.checkCancellation()
      try checkSpace(trial, after: error)
      trial.fail(error.sentence)
    }
    // The time before the gate opened belongs to the trials before this one.
    let began = max(started, turn?.beginning.date ?? started)
    if turn != nil { trial.started = began.timeIntervalSince1970 }
    trial.wall += Date().timeIntervalSince(began)
    return wasSilent
  }

  /// Throws a ``FileWriteError`` if the trial failed because the disk was full. A resumed run repeats the trial.
  private func checkSpace(_ trial: Trial, after error: any Error) throws {
    guard error.isFullDisk || (error as? TrialFailure)?.mayBeFullDisk == true, trial.inMemory != true else { return }
    let needed = 4 * PlanEstimate.bytes(trial.cell) + (32 << 20)
    guard let free = freeBytes(scratch.path), free < needed else { return }
    let words = [free, needed].map { NumberFormat.bytes(Double($0)) }
    throw FileWriteError(
      path: scratch.path,
      reason: "no space left for \(trial.cell.name), which may need \(words[1]), with \(words[0]) free",
      advice: "free some space")
  }

  private func take(_ response: TrialResponse, into trial: inout Trial, _ turn: TrialGate? = nil) throws {
    trial.note = response.note
    trial.settings = response.settings
    trial.streamHash = response.streamHash
    trial.timing = response.timing
    trial.cost = response.cost
    trial.findings = response.findings
    if let timing = response.timing {
      var opening = response.opening ?? 0
      if let turn, let opened = response.opened { opening -= turn.paused(within: opened - opening...opened) }
      trial.timedOnce = TimedOnce.isEnough(operations: timing.operations, elapsed: timing.elapsed, opening: opening)
    }
  }

  private func bareRequest(_ index: Int, _ task: TrialRequest.Task, directory: String) -> TrialRequest {
    TrialRequest(
      task: task, cell: plan.cells[index].cell, seed: plan.seed,
      readDurability: plan.cells[index].readDurability, payload: plan.payload, dataset: plan.dataset,
      datasetMap: plan.datasetMap,
      directory: directory, trialTime: plan.trialTime(plan.cells[index]), rate: plan.rate,
      onceLimit: task == .timed ? TimedOnce.limit : nil, slowdown: slowdowns[index])
  }

  private func request(_ index: Int, _ task: TrialRequest.Task, in stores: Scratch) async throws -> TrialRequest {
    var request = bareRequest(index, task, directory: try stores.makeTrialDirectory())
    if task == .cost { request.deviceCounter = stores.disk?.counter }
    guard let name = fixtureName(index) else { return request }
    do {
      let fixture = try await fixtures.path(name, for: request)
      try DirectoryFiles.copy(fixture, to: request.store)
      if request.cell.memory != nil { try MemoryLimit.expel(request) }
      request.fixture = fixture
      return request
    } catch {
      remove(request.directory)
      throw error
    }
  }

  private func answer(_ request: TrialRequest, _ turn: TrialGate? = nil) async throws -> TrialResponse {
    let group = request.task.isLimited ? try request.cell.memory.map { try MemoryGroup(bytes: $0) } : nil
    defer { group?.remove() }
    var request = request
    request.group = group.map { TrialRequest.Group(processes: $0.processes, outside: $0.outside) }
    let limit = request.task.isTimed ? LaunchLimit.duration(plan.cellLimit) : .usualSilence
    let outcome = try await session.launcher.launch(request, limit: limit, turn: turn)
    if case .answered(let response) = outcome, outcome.isSuccess { return response }
    if let group, group.kills > 0 { throw TrialFailure(description: MemoryLimit.sentence(request), isLimit: true) }
    throw TrialFailure(
      description: outcome.sentence(limit: limit), isSilence: outcome == .exceededLimit,
      mayBeFullDisk: outcome.mayBeFullDisk)
  }

  private static func unseenCalls(_ cost: Cost?) -> String? {
    guard let cost, let seen = cost.seenBytesWritten, let all = cost.processBytesWritten,
      let seenCalls = cost.seenWriteCalls, let allCalls = cost.processWriteCalls,
      seen != all || seenCalls != allCalls
    else { return nil }
    return "the kernel saw \(allCalls) writes of \(all) bytes, the counters \(seenCalls) of \(seen)"
  }

  private func keep(_ store: String, _ cell: Cell) throws {
    let name = "stores/\(cell.name)"
    let target = session.directory.url.appendingPathComponent(name).path
    try OwnedDirectory.makeDirectory(name, in: session.directory.url.path)
    // An interrupted run may have copied only a part of the store.
    try DirectoryFiles.empty(target)
    try DirectoryFiles.copy(store, to: target)
  }
}

struct TrialFailure: Error, CustomStringConvertible {
  let description: String
  /// Whether the process was killed because it took too long or showed no activity for too long.
  var isSilence = false
  /// Whether the benchmark's memory limit ended the process. The trial then counts as not available.
  var isLimit = false
  var mayBeFullDisk = false
}

extension Trial {
  fileprivate mutating func fail(_ note: String) {
    status = .failed
    self.note = note
    (settings, streamHash, timing, cost, findings) = (nil, nil, nil, nil, nil)
  }
}
