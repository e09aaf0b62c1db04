import StorageContract
import StorageRunFiles

/// The events of a run, for a progress display. The runner itself prints nothing.
enum RunEvent: Sendable {
  /// The run begins or continues. `trials` is the total number of measuring processes, `done` the number already
  /// finished.
  case began(trials: Int, done: Int)
  /// A trial (measuring process) is about to start. `secondsLeft` is the estimated time for all remaining trials, if
  /// known.
  case starting(cell: Cell, pass: Pass, round: Int?, done: Int, trials: Int, secondsLeft: Double?)
  /// A trial (process) has ended and is recorded. `isFirst` is true for the first trial of a backend with a workload.
  case ended(trial: Trial, isFirst: Bool, done: Int, trials: Int)
}

/// An observer that receives the events of a run in order.
protocol RunObserver: Sendable {
  func see(_ event: RunEvent)
}
