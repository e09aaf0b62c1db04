import Contract
import Foundation
import Report
import Workloads

/// Carries out a plan: rounds of timed trials, and one cost pass of each cell after the first round.
///
/// It prints nothing and decides nothing about exit codes: it writes the journal and tells an observer.
struct Runner {
  let plan: Plan
  let catalog: Catalog
  let directory: RunDirectory
  let scratch: Scratch
  let launcher: any TrialLauncher
  let observer: any RunObserver

  /// Cost passes count and do not time, so that two may share the machine.
  static let costPassesAtOnce = 2

  /// Runs what the journal does not have yet.
  ///
  /// - Returns: Whether every cell that was run is ok.
  /// - Throws: `CancellationError` when interrupted; ``ExitStatus/Failure`` if the journal cannot be written.
  func run() async throws -> Bool {
    let journal = try Journal(directory)
    var progress = Progress(plan: plan)
    _ = try directory.trials.forEach { progress.note($0) }
    let fixtures = Fixtures(scratch: scratch, launcher: launcher)
    let trials = TrialRun(
      plan: plan, catalog: catalog, directory: directory, scratch: scratch, launcher: launcher, fixtures: fixtures)
    observer.see(.began(trials: progress.total, done: progress.done))
    if plan.once {
      try await runUntimed(.once, trials, journal, &progress)
      return progress.isOK
    }
    let schedule = Schedule(cells: plan.cells, seed: plan.seed)
    if plan.rounds > 0 { try await runRound(1, schedule, trials, journal, &progress) }
    // After the first round, so that times appear at once and an interrupted run has counts, too.
    try await runUntimed(.cost, trials, journal, &progress)
    for round in stride(from: 2, through: plan.rounds, by: 1) {
      try await runRound(round, schedule, trials, journal, &progress)
    }
    return progress.isOK
  }

  private func runRound(
    _ round: Int, _ schedule: Schedule, _ trials: TrialRun, _ journal: Journal, _ progress: inout Progress
  ) async throws {
    for (place, index) in schedule.order(round: round).enumerated() where progress.needs(index, round: round) {
      let cell = plan.cells[index].cell
      try Task.checkCancellation()
      announce(cell, .timed, round, progress)
      let trial: Trial
      if round == 1, let predicted = progress.prediction.nanoseconds(cell), predicted > Double(plan.cellLimit) {
        trial = Trial(
          cell: cell, pass: .timed, round: round, position: place + 1, started: Date().timeIntervalSince1970,
          wall: 0, status: .skipped,
          note: "not timed: predicted \(Figures.time(predicted)) an operation, over --cell-limit "
            + Figures.time(Double(plan.cellLimit)), predicted: predicted)
      } else {
        trial = try await trials.run(
          index, .timed, round: round, position: place + 1, isSlow: progress.isSlow(index))
      }
      try finish(trial, journal, &progress)
    }
  }

  private func runUntimed(
    _ pass: Pass, _ trials: TrialRun, _ journal: Journal, _ progress: inout Progress
  ) async throws {
    let width = pass == .cost ? Self.costPassesAtOnce : 1
    // Whole-file engines keep a processor busy, page engines the disk: taken from both ends, they run side by side.
    let order = plan.cells.indices.filter { progress.needs($0, pass) }
    var waiting = (order.filter { plan.cells[$0].isWholeFile } + order.filter { !plan.cells[$0].isWholeFile })[...]
    try await withThrowingTaskGroup(of: (trial: Trial, isFromFront: Bool).self) { group in
      func start(fromFront: Bool) {
        guard let index = fromFront ? waiting.popFirst() : waiting.popLast() else { return }
        announce(plan.cells[index].cell, pass, nil, progress)
        group.addTask { (try await trials.run(index, pass, round: nil, position: nil), fromFront) }
      }
      for lane in 0..<width { start(fromFront: lane == 0) }
      while let (trial, isFromFront) = try await group.next() {
        try finish(trial, journal, &progress)
        try Task.checkCancellation()
        start(fromFront: isFromFront)
      }
    }
  }

  private func announce(_ cell: Cell, _ pass: Pass, _ round: Int?, _ progress: Progress) {
    observer.see(
      .starting(
        cell: cell, pass: pass, round: round, done: progress.done, trials: progress.total,
        secondsLeft: progress.secondsLeft))
  }

  private func finish(_ trial: Trial, _ journal: Journal, _ progress: inout Progress) throws {
    try journal.append(trial)
    let isFirst = !progress.hasValue(trial.cell)
    progress.note(trial)
    observer.see(.ended(trial: trial, isFirst: isFirst, done: progress.done, trials: progress.total))
  }
}
