import Histogram
import StorageRunFiles

struct Samples {
  var batch: Int?
  private var batches: [Int64] = []
  private var series = LatencySeries()
  private var totals = Totals()
  private var batchedTotals = Totals()
  private var singles = Samples.histogram()
  private var least = Int64.max
  private var most = Int64.min
  private let kinds: [String]
  private var ofKind: [(histogram: Histogram<UInt64>, most: Int64)]
  /// Whether to count the operations longer than one frame of a 60 Hz screen and, separately, the operations longer
  /// than half a frame.
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

  /// The duration of one frame of a 60 Hz screen, in nanoseconds.
  static let frame: Int64 = 16_666_667

  private static func histogram() -> Histogram<UInt64> {
    Histogram(highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .three)
  }

  var count: Int { totals.operations + batchedTotals.operations }
  var elapsed: Int64 { totals.elapsed + batchedTotals.elapsed }
  var hasSingles: Bool { totals.operations > 0 }

  init(kinds: [String] = [], watchesFrames: Bool = false) {
    self.kinds = kinds
    self.watchesFrames = watchesFrames
    ofKind = kinds.map { _ in (Self.histogram(), .min) }
    batches.reserveCapacity(4_096)
  }

  @inline(__always)
  mutating func addSingle(_ duration: Int64) {
    singles.record(UInt64(truncatingIfNeeded: max(0, duration)))
    // Percentiles are bounds of buckets, so the extremes are kept exactly.
    if duration < least { least = duration }
    if duration > most { most = duration }
    if batch == nil { series.add(duration) }
  }

  mutating func addBatch(_ duration: Int64) {
    batches.append(duration)
    series.add(duration, operations: batch ?? 1)
  }

  mutating func addSingle(_ duration: Int64, kind: Int) {
    addSingle(duration)
    if ofKind.indices.contains(kind) {
      ofKind[kind].histogram.record(UInt64(truncatingIfNeeded: max(0, duration)))
      ofKind[kind].most = max(ofKind[kind].most, duration)
    }
    if duration > Self.frame { overFrame += 1 }
    if duration > Self.frame / 2 { overHalfFrame += 1 }
  }

  mutating func addBlock(operations: Int, elapsed: Int64, cpu: Int64, isBatched: Bool = false) {
    if isBatched {
      batchedTotals.add(operations, elapsed, cpu)
    } else {
      totals.add(operations, elapsed, cpu)
    }
  }

  /// Returns the measured times. Throughput and quartiles are from operations timed in batches if there are any.
  ///
  /// - Parameters:
  ///   - clock: The time that one reading of the clock takes, in nanoseconds.
  ///   - isScheduled: Whether durations were measured from planned start times.
  func timing(clock: Double, isScheduled: Bool = false) -> Timing {
    // A median over kinds of operations with very different times is meaningless, so the mean is used. On a schedule,
    // all latencies are waiting times.
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
    func quantile(_ share: Double) -> Double {
      let rank = max(1, Int((share * Double(sorted.count)).rounded(.up)))
      return Double(sorted[rank - 1]) / Double(batch)
    }
    return (quantile(0.25), quantile(0.5))
  }
}
