import StorageContract
import StorageStatistics

/// The estimated time of an operation on a store with a given number of records.
public struct Estimate: Sendable {
  /// The origin of an estimated time: a measurement, or an interpolation between two measurements.
  public enum Basis: Sendable, Equatable {
    /// The operation was timed at exactly the wanted number of records.
    case measured
    /// The time was interpolated between these two measured numbers of records, such as 1,000 and 10,000.
    case between(Int, Int)
  }

  /// The estimated time of one operation, such as a save, in nanoseconds.
  public let time: Double
  /// The origin of ``time``: a measurement or an interpolation.
  public let basis: Basis
  /// The workload whose operation was timed, such as `save-one`.
  public let workload: Spec
  /// The source of ``time``: a benchmark such as `sqlite/save-one/1000/durable`, or `sqlite/save-one/*/durable` for
  /// several store sizes.
  public let cells: String
  /// Whether only one process measured the time. Such a time has no confidence interval.
  public let isTimedOnce: Bool
  /// Whether ``time`` is a mean instead of a median, because of rare slow operations.
  public let isMean: Bool
  /// The time of one operation, such as a save, in each round (repetition).
  let timings: Rounds

  /// The confidence interval of ``time``, in nanoseconds. Nil for too few rounds (repetitions).
  public var interval: MedianInterval? { timings.interval }

  /// Estimates the time of an operation at a number of records. Nil if `records` is outside the measured range.
  public init?(_ series: CostSeries, at records: Int) {
    let timed = series.timed
    let sizes = timed.map(\.cell.records)
    workload = series.pattern.workload
    let name = series.pattern.with { $0.records = records }.name
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

  /// The time as text: `218 µs`, or `33 µs (mean)` if it is a mean.
  public var inShort: String { NumberFormat.time(time) + (isMean ? " (mean)" : "") }

  /// The time with its interval as text: `218 µs (205 µs to 230 µs)`.
  public var inWords: String { inShort + (interval.map { " (\(NumberFormat.times($0)))" } ?? "") }

  /// A text that says whether the time was measured or interpolated, such as `measured at this size`.
  public var basisInWords: String {
    switch basis {
    case .measured: "measured at this size"
    case .between(let low, let high):
      "interpolated between \(Quantity.grouped(low)) and \(Quantity.grouped(high)) records"
    }
  }
}
