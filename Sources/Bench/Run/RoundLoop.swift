import StorageContract
import StorageRunFiles
import StorageTrial

/// The stages of a measurement. Each stage is a series of rounds, each of which times every remaining benchmark once.
enum RoundStage: Int, Sendable {
  /// The stage of the planned rounds, in which every benchmark is measured.
  case first = 1
  /// The stage of a paired comparison that measures benchmarks again that seem to have changed.
  case confirming
  /// The stage for benchmarks with too little data. A run lengthens the time of their processes, and a paired
  /// comparison adds pairs of processes.
  case lengthened
}

/// The loop over the timed trials of a round, for ``Runner`` and ``PairedRunner``. A trial is a process that times one
/// benchmark.
///
/// Only one process at a time is timed. While no process is timed, other processes prepare and verify their stores, if
/// the queue admits them: see ``TrialQueue``.
enum RoundLoop {
  /// A trial (measuring process) that a round runs. The index is the benchmark's index in the plan of `trials`.
  struct Item: Sendable {
    let trials: TrialRun
    let index: Int
    let round: Int
    /// The position of the benchmark in the order of the round, counted from 1.
    let position: Int
    var isSlow = false
    var stage = RoundStage.first

    var cell: Cell { trials.plan.cells[index].cell }

    fileprivate func run(_ turn: TrialGate?) async throws -> Trial {
      try await trials.run(
        index, .timed, round: round, position: position, isSlow: isSlow, isLengthened: stage == .lengthened, turn: turn)
    }
  }

  private enum Step: Sendable {
    case started(Int)
    case prepared(Int)
    case stopped(Int)
    case ended(Int, Trial)
  }

  /// Runs the trials (measuring processes) of a round.
  ///
  /// - Parameters:
  ///   - queue: An empty queue, which decides when a trial may start.
  ///   - next: Returns the next trial, or nil if no trial is left or the queue does not admit the next benchmark yet.
  ///     Its argument tells whether the queue admits a benchmark. A sequential queue admits each, so `next` is then
  ///     called once after each trial.
  ///   - starting: Is called directly before a trial is timed.
  ///   - ended: Is called with the result of each trial, in the order in which `next` returned the trials.
  /// - Throws: `CancellationError` if the task is cancelled; the errors of `next`, `ended` and of the trials that
  ///   concern the whole run.
  static func run(
    _ queue: TrialQueue, next: ((Cell) -> Bool) throws -> Item?, starting: (Item) -> Void,
    ended: (Item, Trial) throws -> Void
  ) async throws {
    var queue = queue
    var items: [Item] = []
    try await withThrowingTaskGroup(of: Step.self) { group in
      func start(_ item: Item) {
        let (number, turn) = (items.count, TrialGate())
        items.append(item)
        queue.add(number, item.cell, turn)
        guard !queue.isTiming else {
          starting(item)
          group.addTask { .ended(number, try await item.run(nil)) }
          return
        }
        group.addTask { .ended(number, try await item.run(turn)) }
        group.addTask {
          await turn.hasStarted()
          return .started(number)
        }
        group.addTask {
          await turn.isPrepared()
          return .prepared(number)
        }
      }
      func startMore() throws {
        for turn in queue.goOn() { turn.pause(false) }
        while queue.hasRoom, let item = try next({ queue.admits($0) }) { start(item) }
      }
      func begin() -> Bool {
        guard let (first, pausing) = queue.begin() else { return false }
        for turn in pausing { turn.pause(true) }
        starting(items[first.position])
        first.turn.pause(false)
        first.turn.begin()
        group.addTask {
          await first.turn.clockHasStopped()
          return .stopped(first.position)
        }
        return true
      }
      try Task.checkCancellation()
      try startMore()
      while let step = try await group.next() {
        switch step {
        case .started(let number): queue.started(number)
        case .prepared(let number): queue.prepared(number)
        case .stopped(let number): queue.stopped(number)
        case .ended(let number, let trial): queue.ended(number, trial)
        }
        while let (number, trial) = queue.takeEnded() { try ended(items[number], trial) }
        try Task.checkCancellation()
        if !begin() { try startMore() }
      }
    }
  }
}
