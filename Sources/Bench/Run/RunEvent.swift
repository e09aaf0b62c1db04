import StorageContract
import StorageRunFiles

/// What happens in a run, for whoever shows it. The runner itself prints nothing.
enum RunEvent: Sendable {
  /// The run begins or goes on: trials in all, and how many of them are done already.
  case began(trials: Int, done: Int)
  /// A trial is about to start, and how many seconds all that is left will take, as far as known.
  case starting(cell: Cell, pass: Pass, round: Int?, done: Int, trials: Int, secondsLeft: Double?)
  /// A trial has ended and is in the journal; whether it gave its cell the first value.
  case ended(trial: Trial, isFirst: Bool, done: Int, trials: Int)
}

/// Sees the events of a run, in order.
protocol RunObserver: Sendable {
  func see(_ event: RunEvent)
}
