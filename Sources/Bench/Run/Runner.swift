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
            + Figures.time(Double(plan.cellLimit)))
      } else {
        trial = try await trials.run(index, .timed, round: round, position: place + 1)
      }
      try finish(trial, journal, &progress)
    }
  }

  private func runUntimed(
    _ pass: Pass, _ trials: TrialRun, _ journal: Journal, _ progress: inout Progress
  ) async throws {
    let width = pass == .cost ? Self.costPassesAtOnce : 1
    var waiting = plan.cells.indices.filter { progress.needs($0, pass) }[...]
    try await withThrowingTaskGroup(of: Trial.self) { group in
      var running = 0
      while !waiting.isEmpty || running > 0 {
        try Task.checkCancellation()
        while running < width, let index = waiting.popFirst() {
          announce(plan.cells[index].cell, pass, nil, progress)
          group.addTask { try await trials.run(index, pass, round: nil, position: nil) }
          running += 1
        }
        guard let trial = try await group.next() else { break }
        running -= 1
        try finish(trial, journal, &progress)
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
