import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

/// One cell's pairs in one stage.
struct PairedSeries {
  /// What is compared.
  enum Subject: Equatable, Sendable {
    /// The cell at a place in the plan, base against head.
    case cell(Int)
    /// The cell at a place in the plan, base against base.
    case control(Int)
  }

  let subject: Subject
  /// Whether the base goes first, round by round.
  let order: [Bool]
  /// What was measured so far.
  private(set) var pairs: [(base: Timing, head: Timing)] = []
  /// What went wrong, and on whose side: no more rounds follow.
  var failure: (note: String, isHead: Bool)?

  init(_ subject: Subject, order: [Bool]) {
    self.subject = subject
    self.order = order
  }

  /// The cell's place in the plan.
  var index: Int {
    switch subject {
    case .cell(let index), .control(let index): index
    }
  }

  var isControl: Bool { if case .control = subject { true } else { false } }

  /// Whether a round, from 0, is still to be run.
  func needs(_ round: Int) -> Bool { failure == nil && round < order.count }

  mutating func add(base: Timing, head: Timing) { pairs.append((base, head)) }

  /// What the pairs say.
  func stage(margin: Double) -> PairedStage? {
    // In batches the clock is read so rarely that 2 ns per operation are left of it.
    let resolution = pairs.flatMap { [$0.base, $0.head] }.map { $0.batch == nil ? $0.clock : 2 }.max() ?? 0
    return PairedStage(pairs: pairs.map { ($0.base.p25, $0.head.p25) }, margin: margin, resolution: resolution)
  }

  /// The figures of a stage, for people and for other tools.
  func change(_ stage: PairedStage, margin: Double, isConfirmed: Bool) -> TimeChange {
    let (base, head) = (pairs.map(\.base.p50), pairs.map(\.head.p50))
    return TimeChange(
      base: Quantile.median(of: base.sorted()) ?? 0, head: Quantile.median(of: head.sorted()) ?? 0,
      ratio: stage.ratio.ratio, low: stage.ratio.interval?.low, high: stage.ratio.interval?.high,
      pairs: stage.ratio.pairs, margin: margin, isConfirmed: isConfirmed, baseProcesses: base, headProcesses: head)
  }
}
