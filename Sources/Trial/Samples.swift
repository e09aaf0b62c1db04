import Histogram
import StorageRunFiles

/// What the timed part has gathered so far.
struct Samples {
  /// Operations per batch, or nil where all are timed singly.
  var batch: Int?
  /// Nanoseconds of each batch.
  private var batches: [Int64] = []
  /// The latencies in their order: of batches where there are any, which lack the readings of the clock.
  private var series = LatencySeries()
  /// All operations, and the nanoseconds that they took.
  private(set) var count = 0
  private(set) var elapsed: Int64 = 0
  private var totals = Totals()
  private var batchedTotals = Totals()
  private var singles = Samples.histogram()
  private var least = Int64.max
  private var most = Int64.min
  /// The names of the kinds of operations, where they are distinguished.
  private let kinds: [String]
  private var ofKind: [(histogram: Histogram<UInt64>, most: Int64)]
  /// Whether it matters how many operations take longer than a frame.
  private let watchesFrames: Bool
  private var overFrame = 0
  private var overHalfFrame = 0

  private struct Totals {
    var operations = 0
    var elapsed: Int64 = 0
    var cpu: Int64 = 0

    mutating func add(_ operations: Int, _ elapsed: Int64, _ cpu: Int64) {
      self.operations += operations
      self.elapsed += elapsed
      self.cpu += cpu
    }
  }

  /// Nanoseconds of a frame at 60 frames a second.
  static let frame: Int64 = 16_666_667

  private static func histogram() -> Histogram<UInt64> {
    Histogram(highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .three)
  }

  /// Whether a block of the timed part was timed operation by operation.
  var hasSingles: Bool { totals.operations > 0 }

  init(kinds: [String] = [], watchesFrames: Bool = false) {
    self.kinds = kinds
    self.watchesFrames = watchesFrames
    ofKind = kinds.map { _ in (Self.histogram(), .min) }
    batches.reserveCapacity(4_096)
  }

  /// Adds one operation's latency.
  @inline(__always)
  mutating func addSingle(_ duration: Int64) {
    singles.record(UInt64(truncatingIfNeeded: max(0, duration)))
    // Percentiles are the bounds of buckets; the extremes are kept exactly.
    if duration < least { least = duration }
    if duration > most { most = duration }
    if batch == nil { series.add(duration) }
  }

  /// Adds a full batch.
  mutating func addBatch(_ duration: Int64) {
    batches.append(duration)
    series.add(duration, operations: batch ?? 1)
  }

  /// Adds one operation's latency under its kind, where kinds are distinguished, and looks whether it missed a frame.
  mutating func addSingle(_ duration: Int64, kind: Int) {
    addSingle(duration)
    if ofKind.indices.contains(kind) {
      ofKind[kind].histogram.record(UInt64(truncatingIfNeeded: max(0, duration)))
      ofKind[kind].most = max(ofKind[kind].most, duration)
    }
    if duration > Self.frame { overFrame += 1 }
    if duration > Self.frame / 2 { overHalfFrame += 1 }
  }

  /// Adds a block's totals.
  mutating func addBlock(operations: Int, elapsed: Int64, cpu: Int64, isBatched: Bool = false) {
    count += operations
    self.elapsed += elapsed
    if isBatched {
      batchedTotals.add(operations, elapsed, cpu)
    } else {
      totals.add(operations, elapsed, cpu)
    }
  }

  /// The figures of the trial. Where there are batches, throughput and quartiles are theirs: a reading of the
  /// clock for each operation would be part of the result.
  ///
  /// Of several kinds together there is no median that would say anything: half of a mix may be a hundred times as slow
  /// as the other half. What stands for a trial is the mean, and percentiles are those of each kind. On a schedule the
  /// mean would be the schedule's, and what all operations had to wait is of one kind.
  ///
  /// - Parameters:
  ///   - clock: What a reading of the clock costs.
  ///   - isScheduled: Whether operations were started on a schedule.
  func timing(clock: Double, isScheduled: Bool = false) -> Timing {
    let hasSingles = singles.totalCount > 0
    let isMix = !kinds.isEmpty && !isScheduled
    let histogram = hasSingles && !isMix ? Self.text(singles) : nil
    let used = batch == nil ? totals : batchedTotals
    let mean = Double(used.elapsed) / Double(max(1, used.operations))
    let quartiles = isMix ? (p25: mean, p50: mean) : self.quartiles()
    var timing = Timing(
      operations: used.operations, elapsed: used.elapsed, cpu: used.cpu, min: hasSingles ? least : nil,
      max: hasSingles ? most : nil, p25: quartiles.p25, p50: quartiles.p50, batch: batch, histogram: histogram,
      clock: clock)
    if let halves = series.halves { (timing.halves, timing.series) = (halves, series.text) }
    if !kinds.isEmpty, hasSingles {
      timing.kinds = zip(kinds, ofKind).filter { $1.histogram.totalCount > 0 }.map { name, kind in
        KindTiming(
          kind: name, operations: Int(kind.histogram.totalCount), max: kind.most, histogram: Self.text(kind.histogram))
      }
    }
    if batch != nil, totals.elapsed > 0 { timing.singlesElapsed = totals.elapsed }
    if watchesFrames { (timing.overFrame, timing.overHalfFrame) = (overFrame, overHalfFrame) }
    return timing
  }

  private static func text(_ histogram: Histogram<UInt64>) -> String {
    HistogramText(histogram.recordedValues().map { (value: $0.value, count: UInt64($0.count)) }).text
  }

  private func quartiles() -> (p25: Double, p50: Double) {
    guard let batch, !batches.isEmpty else {
      return (Double(singles.valueAtPercentile(25)), Double(singles.valueAtPercentile(50)))
    }
    let sorted = batches.sorted()
    // The same rule as the histogram's: the least value that so many are not above.
    func quantile(_ share: Double) -> Double {
      let rank = max(1, Int((share * Double(sorted.count)).rounded(.up)))
      return Double(sorted[rank - 1]) / Double(batch)
    }
    return (quantile(0.25), quantile(0.5))
  }
}
