import StorageReport
import StorageRunFiles
import StorageStatistics

struct PairedSeries {
  struct Subject: Equatable, Sendable {
    /// The index of the benchmark in the plan.
    let index: Int
    /// Whether the series is a control, which compares the old build with itself instead of the new build.
    var isControl = false
  }

  let subject: Subject
  /// The order of the builds in each pair of measurements: true if the old build is measured first.
  private(set) var order: [Bool]
  private var begun = 0
  private(set) var isLengthened = false
  private(set) var pairs: [(base: Timing, head: Timing)] = []
  /// The failure that ended the measurements; nil without a failure. `isHead` is true if the new build failed.
  var failure: (note: String, isHead: Bool)?

  init(_ subject: Subject, order: [Bool]) {
    self.subject = subject
    self.order = order
  }

  var index: Int { subject.index }

  var isControl: Bool { subject.isControl }

  var needsMore: Bool { pairsLeft > 0 }

  var pairsLeft: Int { failure == nil ? order.count - begun : 0 }

  /// Begins the next pair of measurements. Returns true if the old build is to be measured first.
  mutating func begin() -> Bool {
    begun += 1
    return order[begun - 1]
  }

  mutating func lengthen(by further: [Bool]) {
    order += further
    isLengthened = true
  }

  mutating func add(base: Timing, head: Timing) { pairs.append((base, head)) }

  /// Whether means are compared instead of quartiles, because only one of the builds was timed in batches of
  /// operations.
  private var comparesMeans: Bool { pairs.contains { $0.base.isBatched != $0.head.isBatched } }

  func stage(margin: Double) -> PairedStage? {
    // In batches, the clock is read so rarely that its resolution causes an error of only 2 ns per operation.
    let resolution = pairs.flatMap { [$0.base, $0.head] }.map { $0.isBatched ? 2 : $0.clock }.max() ?? 0
    let times = comparesMeans ? pairs.map { ($0.base.mean, $0.head.mean) } : pairs.map { ($0.base.p25, $0.head.p25) }
    return PairedStage(pairs: times, margin: margin, resolution: resolution)
  }

  func change(_ stage: PairedStage, margin: Double, isConfirmed: Bool) -> TimeChange {
    func shown(_ timing: Timing) -> Double { comparesMeans ? timing.mean : timing.typical }
    let (base, head) = (pairs.map { shown($0.base) }, pairs.map { shown($0.head) })
    return TimeChange(
      base: Quantile.median(of: base.sorted()) ?? 0, head: Quantile.median(of: head.sorted()) ?? 0,
      ratio: stage.ratio.ratio, low: stage.ratio.interval?.low, high: stage.ratio.interval?.high,
      pairs: stage.ratio.pairs, margin: margin, isConfirmed: isConfirmed, comparesMeans: comparesMeans,
      smallestDetectable: stage.smallestDetectable, baseProcesses: base, headProcesses: head)
  }
}
