import StorageContract
import StorageRunFiles

/// An event of a run, for a progress display.
enum RunEvent: Sendable {
  case began(ProgressEstimate)
  case starting(cell: Cell, pass: Pass, round: Int?, ProgressEstimate)
  /// The end of a trial (measuring process). `isFirst` is true for the first trial of a benchmark.
  case ended(trial: Trial, isFirst: Bool, ProgressEstimate)
}

/// An observer that receives the events of a run in order.
protocol RunObserver: Sendable {
  func see(_ event: RunEvent)
}
