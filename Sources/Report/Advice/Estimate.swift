import StorageContract
import StorageStatistics

/// The estimated time of an operation at a number of records, and the basis of the estimate.
///
/// There is no estimate beyond the sizes that were measured.
public struct Estimate: Sendable {
  /// The way the time was obtained.
  public enum Basis: Sendable, Equatable {
    /// The time was measured at exactly this size.
    case measured
    /// The time follows from the fitted curve, between two measured sizes.
    case between(Int, Int)
  }

  /// The estimated time in nanoseconds.
  public let time: Double
  /// The way the time was obtained, see ``Basis``.
  public let basis: Basis
  /// The workload that was timed.
  public let workload: Spec
  /// The rows behind the estimate, as a cell name with `*` for the number of records: `sqlite/save-one/*/shipped`.
  public let cells: String
  /// Whether the time was measured by a single trial, which gives no interval.
  public let isTimedOnce: Bool
  /// Whether the time is a mean, and not a median; see ``SummaryRow/answerTime``.
  public let isMean: Bool
  /// The estimated time in each round.
  let timings: Rounds

  /// The interval of the time over the rounds. Nil if there are too few rounds for an interval.
  public var interval: MedianInterval? { timings.interval }

  /// Estimates the time of an operation at a number of records, from a series of rows.
  ///
  /// - Returns: Nil if the number is outside of the measured ones.
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
