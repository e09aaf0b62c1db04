import StorageContract
import StorageRunFiles

/// The events of a run, for a progress display. The runner itself prints nothing.
enum RunEvent: Sendable {
  /// The run begins or continues, with the total number of trials, and the number of trials already finished.
  case began(trials: Int, done: Int)
  /// A trial is about to start. `secondsLeft` is the estimated time for the remaining trials, if known.
  case starting(cell: Cell, pass: Pass, round: Int?, done: Int, trials: Int, secondsLeft: Double?)
  /// A trial has ended and is in the journal. `isFirst` says whether the trial gave its cell the first value.
  case ended(trial: Trial, isFirst: Bool, done: Int, trials: Int)
}

/// An observer that receives the events of a run in order.
protocol RunObserver: Sendable {
  func see(_ event: RunEvent)
}
