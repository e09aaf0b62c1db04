import StorageContract
import StorageStatistics

/// The estimated time of an operation on a store with a given number of records, and the origin of the estimate.
///
/// There is no estimate beyond the numbers of records that were measured.
public struct Estimate: Sendable {
  /// The origin of an estimated time: a measurement, or an interpolation between two.
  public enum Basis: Sendable, Equatable {
    /// The operation was timed at exactly the wanted number of records.
    case measured
    /// The time is interpolated on a fitted curve, between these two measured numbers of records.
    case between(Int, Int)
  }

  /// The estimated time in nanoseconds.
  public let time: Double
  /// The origin of ``time``: a measurement or an interpolation.
  public let basis: Basis
  /// The workload from which the time was measured, such as `save-one`.
  public let workload: Spec
  /// The benchmark cell (backend, workload, number of records and settings) that was measured, such as
  /// `sqlite/save-one/1000/shipped`. If the time is interpolated, the number of records is `*`.
  public let cells: String
  /// Whether the time comes from a single measuring process (trial), so that it has no interval.
  public let isTimedOnce: Bool
  /// Whether the time is a mean. If false, the time is a median. The mean is used if rare slow operations make it much
  /// longer than the median.
  public let isMean: Bool
  /// The estimated time in each round (repetition of the measurement).
  let timings: Rounds

  /// The confidence interval of the time. Nil if too few rounds (repetitions) were measured.
  public var interval: MedianInterval? { timings.interval }

  /// Estimates the time of an operation from measurements of one backend at several sizes. Nil if the number of records
  /// is outside of the measured range.
  public init?(_ series: CostSeries, at records: Int) {
    let timed = series.timed
    let sizes = timed.map(\.cell.records)
    var pattern = series.pattern
    workload = pattern.workload
    pattern.records = records
    let name = pattern.name
    if let row = series.row(at: records), row.status == .ok, !row.isDisturbed, let measured = row.answerTime {
      (time, basis, timings, cells) = (measured, .measured, row.answerRounds, name)
      isMean = row.meanDiffers
      isTimedOnce = row.isTimedOnce
      return
    }
    guard let next = sizes.first(where: { $0 > records }), let last = sizes.last(where: { $0 < records }),
      let reading = series.answerTime?.reading(at: Double(records))
    else { return nil }
    let resolution = timed.flatMap { $0.rounds.values.map(\.resolution) }.max() ?? 0
    (time, basis) = (reading.value, .between(last, next))
    timings = Rounds(
      reading.rounds.map { ($0, RoundTiming(typical: $1, resolution: resolution)) }, unit: timed[0].rounds.unit)
    isMean = timed.contains(where: \.meanDiffers)
    isTimedOnce = timed.allSatisfy(\.isTimedOnce)
    cells = name.replacing("/\(records)/", with: "/*/")
  }

  /// The time as text: `218 µs`, `33 µs (mean)`.
  public var inShort: String { NumberFormat.time(time) + (isMean ? " (mean)" : "") }

  /// The time with its interval as text: `218 µs (205 µs to 230 µs)`, `33 µs (mean) (31 µs to 36 µs)`.
  public var inWords: String {
    inShort
      + (interval.map { " (\(NumberFormat.time($0.low)) to \(NumberFormat.time($0.high)))" } ?? "")
  }

  /// The basis of the estimate as text: `measured at this size`, `interpolated between 1,000 and 10,000 records`.
  public var basisInWords: String {
    switch basis {
    case .measured: "measured at this size"
    case .between(let low, let high):
      "interpolated between \(Quantity.grouped(low)) and \(Quantity.grouped(high)) records"
    }
  }
}
