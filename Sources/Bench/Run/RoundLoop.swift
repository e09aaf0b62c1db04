import StorageContract
import StorageRunFiles

/// A stage of a run or of a paired comparison. In each round of a stage, every benchmark of the stage is timed once.
enum RoundStage: Int, Sendable {
  /// The stage of the planned rounds, each of which times every benchmark once.
  case first = 1
  /// The stage of a paired comparison that measures benchmarks again if they seem to have become slower or faster.
  case confirming
  /// The stage that makes further measurements of benchmarks with unsteady times.
  case lengthened
}

/// The loop that runs the trials of a round. Only one process at a time is timed: see ``TrialQueue``.
enum RoundLoop {
  /// A process that times the benchmark at `index` in the plan, in one round.
  struct Item: Sendable {
    let trials: TrialRun
    let index: Int
    let round: Int
    /// The position of the benchmark in the order of the round, counted from 1.
    let position: Int
    var isSlow = false
    var stage = RoundStage.first

    var cell: Cell { trials.plan.cells[index].cell }
  }

  /// The change of the queue after an event of a trial.
  private typealias Step = @Sendable (inout TrialQueue) -> Void

  /// Runs the trials (measuring processes) of a round.
  ///
  /// - Parameters:
  ///   - queue: A new, empty queue that decides when each trial may start.
  ///   - next: Returns the next trial, if a trial is left and its benchmark passes the given check; otherwise nil.
  ///   - starting: Called before a trial is timed.
  ///   - ended: Called with the result of each trial, in the order in which the trials were started.
  /// - Throws: `CancellationError`; the errors of `next` and `ended`; errors that end the whole run.
  static func run(
    _ queue: TrialQueue, next: ((Cell) -> Bool) throws -> Item?, starting: (Item) -> Void,
    ended: (Item, Trial) throws -> Void
  ) async throws {
    var queue = queue
    var items: [Item] = []
    try await withThrowingTaskGroup(of: Step.self) { group in
      func run(_ number: Int, _ item: Item, _ turn: TrialGate?) {
        group.addTask {
          let trial = try await item.trials.run(
            item.index, .timed, round: item.round, position: item.position, isSlow: item.isSlow,
            isLengthened: item.stage == .lengthened, turn: turn)
          return { $0.ended(number, trial) }
        }
      }
      func start(_ item: Item) {
        let (number, turn) = (items.count, TrialGate())
        items.append(item)
        queue.add(number, item.cell, turn)
        guard !queue.isTiming else {
          starting(item)
          run(number, item, nil)
          return
        }
        run(number, item, turn)
        group.addTask {
          await turn.start.hasHappened()
          return { $0.started(number) }
        }
        group.addTask {
          await turn.preparation.hasHappened()
          return { $0.prepared(number) }
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
        first.turn.beginning.happen()
        group.addTask {
          await first.turn.stop.hasHappened()
          return { $0.stopped(first.position) }
        }
        return true
      }
      try Task.checkCancellation()
      try startMore()
      while let step = try await group.next() {
        step(&queue)
        while let (number, trial) = queue.takeEnded() { try ended(items[number], trial) }
        try Task.checkCancellation()
        if !begin() { try startMore() }
      }
    }
  }
}
