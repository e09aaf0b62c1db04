import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// The execution of a plan: rounds of timed processes and, after the first round, processes that count system calls.
struct Runner {
  let session: RunSession
  let observer: RunObserver
  /// A RAM disk for the stores of processes that only count calls, because a disk may be slow; nil without one.
  var memory: MemoryDirectory?
  var sampler: MachineSampler?

  private var plan: Plan { session.plan }

  /// Makes the missing measurements of the plan. Returns false if a measurement has failed.
  ///
  /// - Throws: `CancellationError` if the run is interrupted; ``FileWriteError`` if the results cannot be written.
  func run() async throws -> Bool {
    let journal = try Journal(session.directory)
    var progress = Progress(plan: plan)
    _ = try session.directory.trials.forEach { progress.note($0) }
    progress.isResumed = progress.done > 0
    let trials = TrialRun(session, memory: memory)
    observer(.began(progress.estimate))
    if plan.once {
      for index in plan.cells.indices where progress.needs(index, .once) {
        try Task.checkCancellation()
        announce(plan.cells[index].cell, .once, nil, progress)
        try finish(try await trials.run(index, .once, round: nil, position: nil), journal, &progress)
      }
      return progress.isOK
    }
    if plan.rounds > 0 {
      try await buildFixtures(trials, progress)
      probe()
      try await runRound(1, trials, journal, &progress)
    }
    // Calls are counted after the first round, so that times appear soon and an interrupted run also has counts.
    try await runCosts(trials, journal, &progress)
    var probed = ContinuousClock.now
    for round in stride(from: 2, through: plan.rounds, by: 1) {
      // Between short rounds, measuring the machine's speed would take longer than the rounds.
      if ContinuousClock.now - probed > .seconds(1) {
        probe()
        probed = .now
      }
      try await runRound(round, trials, journal, &progress)
    }
    // Benchmarks that became slower or faster within their trials are timed again with longer trials.
    for round in stride(from: 1, through: plan.rounds, by: 1)
    where plan.cells.indices.contains(where: { progress.needs($0, round: round, .lengthened) }) {
      try await runRound(round, trials, journal, &progress, .lengthened)
    }
    if plan.rounds > 0 { probe() }
    return progress.isOK
  }

  /// Measures the machine's speed, and adds the result to `probes.jsonl`. Errors are ignored, because the file serves
  /// only for a warning about a noisy machine.
  private func probe() {
    guard let sampler, let line = try? JSONEncoder.compact.text(sampler()) + "\n" else { return }
    guard let descriptor = try? AtomicFile.openForAppending(session.directory.probesURL.path) else { return }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard (try? handle.seekToEnd()) != nil else { return }
    try? handle.write(contentsOf: Data(line.utf8))
  }

  private func runRound(
    _ round: Int, _ trials: TrialRun, _ journal: Journal, _ progress: inout Progress,
    _ stage: RoundStage = .first
  ) async throws {
    var waiting = Array(plan.order(round: round).enumerated())[...]
    try await RoundLoop.run(
      TrialQueue(isFirstRound: round == 1 && stage == .first),
      next: { admits in
        while let (position, index) = waiting.first, admits(plan.cells[index].cell) {
          waiting.removeFirst()
          guard progress.needs(index, round: round, stage) else { continue }
          guard let skipped = skipped(index, round, position, progress) else {
            return RoundLoop.Item(
              trials: trials, index: index, round: round, position: position + 1, isSlow: progress.isSlow(index),
              stage: stage)
          }
          announce(skipped.cell, .timed, round, progress)
          try finish(skipped, journal, &progress)
        }
        return nil
      }, starting: { announce($0.cell, .timed, round, progress) },
      ended: { try finish($1, journal, &progress) })
  }

  private func skipped(_ index: Int, _ round: Int, _ position: Int, _ progress: Progress) -> Trial? {
    let cell = plan.cells[index].cell
    let predicted = progress.prediction.nanoseconds(cell)
    let note: String
    if let reason = plan.cells[index].untimed {
      note = "not timed: \(reason)"
    } else if round == 1, let predicted, predicted > Double(plan.cellLimit) {
      note =
        "not timed: predicted \(NumberFormat.time(predicted)) an operation, over --cell-limit "
        + NumberFormat.time(Double(plan.cellLimit))
    } else {
      return nil
    }
    return Trial(
      cell: cell, pass: .timed, round: round, position: position + 1, started: Date().timeIntervalSince1970, wall: 0,
      status: .skipped, note: note, predicted: predicted)
  }

  /// Builds the initial stores (fixtures) of all benchmarks before anything is timed.
  private func buildFixtures(_ trials: TrialRun, _ progress: Progress) async throws {
    var seen: Set<String> = []
    let order = plan.order(round: 1).filter { index in
      let isNeeded = progress.needs(index, .cost) || (1...plan.rounds).contains { progress.needs(index, round: $0) }
      return isNeeded && trials.fixtureName(index).map { seen.insert($0).inserted } == true
    }
    // The longest builds come first, so that no long build remains at the end.
    func size(_ index: Int) -> Int { plan.cells[index].cell.records * (plan.cells[index].isWholeFile ? 10 : 1) }
    var waiting = order.sorted { size($0) > size($1) }[...]
    try await withThrowingTaskGroup(of: Void.self) { group in
      func start() {
        guard let index = waiting.popFirst() else { return }
        group.addTask { try await trials.prepareFixture(index) }
      }
      for _ in 0..<Parallelism.fixturesAtOnce { start() }
      while try await group.next() != nil { start() }
    }
  }

  private enum CostStep: Sendable {
    case counted(TrialRun.Counted, isOfWholeFiles: Bool)
    case verified(Trial)
  }

  private func runCosts(_ trials: TrialRun, _ journal: Journal, _ progress: inout Progress) async throws {
    // Whole-file engines keep a processor busy, and page engines keep the disk busy. So both kinds run at the same
    // time.
    let order = plan.cells.indices.filter { progress.needs($0, .cost) }
    // The longest whole-file benchmarks come first: those that were too slow to be timed, then by measured time.
    func length(_ index: Int) -> (Double, Int) { (progress.wall(index) ?? .infinity, plan.cells[index].cell.records) }
    var wholeFiles = order.filter { plan.cells[$0].isWholeFile }.sorted { length($0) > length($1) }
    var pageEngines = order.filter { !plan.cells[$0].isWholeFile }[...]
    var counted: [TrialRun.Counted] = []
    var idle: [Bool] = []
    func next(ofWholeFiles prefersWholeFiles: Bool) -> Int? {
      if prefersWholeFiles { return wholeFiles.isEmpty ? pageEngines.popLast() : wholeFiles.removeFirst() }
      if let index = pageEngines.popLast() { return index }
      // A large file takes many times its size in memory, so only one large file is counted at a time.
      let position = wholeFiles.firstIndex { PlanEstimate.bytes(plan.cells[$0].cell) <= Parallelism.bytesInRow }
      return position.map { wholeFiles.remove(at: $0) }
    }
    var isVerifying = false
    try await withThrowingTaskGroup(of: CostStep.self) { group in
      func count(ofWholeFiles: Bool) {
        // A block device counts the writes of all processes, so nothing else may run.
        let isBusy = session.scratch.disk == nil ? counted.count >= Parallelism.unverifiedStores : isVerifying
        guard !isBusy else { return idle.append(ofWholeFiles) }
        guard let index = next(ofWholeFiles: ofWholeFiles) else { return }
        announce(plan.cells[index].cell, .cost, nil, progress)
        group.addTask { .counted(try await trials.count(index), isOfWholeFiles: ofWholeFiles) }
      }
      func verify() {
        guard !isVerifying, !counted.isEmpty else { return }
        isVerifying = true
        let next = counted.removeFirst()
        group.addTask { .verified(try await trials.verify(next)) }
      }
      for lane in 0..<(session.scratch.disk == nil ? Parallelism.costPassesAtOnce : 1) {
        count(ofWholeFiles: lane == 0)
      }
      while let step = try await group.next() {
        switch step {
        case .counted(let trial, let isOfWholeFiles):
          try Task.checkCancellation()
          counted.append(trial)
          verify()
          count(ofWholeFiles: isOfWholeFiles)
        case .verified(let trial):
          isVerifying = false
          try finish(trial, journal, &progress)
          try Task.checkCancellation()
          verify()
          if let lane = idle.popLast() { count(ofWholeFiles: lane) }
        }
      }
    }
  }

  private func announce(_ cell: Cell, _ pass: Pass, _ round: Int?, _ progress: Progress) {
    observer(.starting(cell: cell, pass: pass, round: round, progress.estimate))
  }

  private func finish(_ trial: Trial, _ journal: Journal, _ progress: inout Progress) throws {
    var trial = trial
    trial.resumed = progress.isResumed
    try journal.append(trial)
    let isFirst = !progress.hasValue(trial.cell)
    progress.note(trial)
    observer(.ended(trial: trial, isFirst: isFirst, progress.estimate))
  }
}
