import StorageContract
import StorageStatistics

/// The estimated time of an operation on a store with a given number of records.
public struct Estimate: Sendable {
  /// The estimated time of one operation, such as a save, in nanoseconds.
  public let time: Double
  /// The origin of ``time`` as text: `measured at this size`, or an interpolation between two measured numbers of
  /// records.
  public let basis: String
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

  /// Estimates the time of an operation at a number of records. Nil if `records` is outside the measured range.
  public init?(_ series: CostSeries, at records: Int) {
    let timed = series.timed
    let sizes = timed.map(\.cell.records)
    workload = series.pattern.workload
    let name = series.pattern.with { $0.records = records }.name
    if let row = series.row(at: records), row.status == .ok, !row.isDisturbed, let measured = row.answerTime {
      (time, basis, timings, cells) = (measured, "measured at this size", row.answerRounds, name)
      isMean = row.meanDiffers
      isTimedOnce = row.isTimedOnce
      return
    }
    guard let next = sizes.first(where: { $0 > records }), let last = sizes.last(where: { $0 < records }),
      let reading = series.answerTime?.reading(at: Double(records))
    else { return nil }
    let resolution = timed.flatMap { $0.rounds.values.map(\.resolution) }.max() ?? 0
    time = reading.value
    basis = "interpolated between \(Quantity.grouped(last)) and \(Quantity.grouped(next)) records"
    timings = Rounds(
      reading.rounds.map { ($0, RoundTiming(typical: $1, resolution: resolution)) }, unit: timed[0].rounds.unit)
    isMean = timed.contains(where: \.meanDiffers)
    isTimedOnce = timed.allSatisfy(\.isTimedOnce)
    cells = name.replacing("/\(records)/", with: "/*/")
  }

  /// The time as text: `218 µs`, or `33 µs (mean)` if it is a mean.
  public var inShort: String { NumberFormat.time(time) + (isMean ? " (mean)" : "") }

  /// The time with its interval as text: `218 µs (205 µs to 230 µs)`.
  public var inWords: String { inShort + (timings.interval.map { " (\(NumberFormat.times($0)))" } ?? "") }
}
