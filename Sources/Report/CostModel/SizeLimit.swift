import StorageContract
import StorageStatistics

/// Up to which N an operation stays within a time.
public struct SizeLimit: Sendable {
  /// Where the median passes it; nil if nothing was timed.
  public let at: Crossing?
  /// The interval of that place over the rounds, of which an end may be 0 (before the smallest size) or infinite
  /// (beyond the largest); nil where it is not passed between the sizes, or the rounds are too few.
  public let interval: MedianInterval?
  /// Where the law passes it, outside of what was measured by a factor of at most ``reach``; nil where it does not.
  public let extrapolated: Double?
  /// The smallest N that was timed.
  public let smallest: Int
  /// The largest.
  public let largest: Int
  /// Whether no larger N was planned.
  public let isComplete: Bool

  /// One frame at 60 per second, in nanoseconds; half of it is one at 120.
  public static let frame = 16_700_000.0
  /// How far a law is followed beyond the sizes that were measured.
  public static let reach = 10.0

  /// Looks where a series passes a time in nanoseconds.
  public init(_ nanoseconds: Double, of series: CostSeries) {
    let timed = series.timed
    smallest = timed.first?.cell.records ?? 0
    largest = timed.last?.cell.records ?? 0
    isComplete = largest == series.rows.last?.cell.records
    let fit = series.time
    at = fit?.curve.crossing(of: nanoseconds)
    if case .at? = at {
      interval = fit?.interval { $0.crossing(of: nanoseconds).place }
      extrapolated = nil
    } else {
      interval = nil
      let place = (fit?.slope ?? 0) > GrowthPhrases.flat ? fit?.curve.extrapolated(to: nanoseconds) : nil
      let range = Double(smallest) / Self.reach...Double(largest) * Self.reach
      extrapolated = place.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// `at any size` up to the largest one measured, `beyond 1,000` where a larger one has no figure, `to ~650`,
  /// `not at 100`, or `not timed`.
  public var inWords: String {
    switch at {
    case nil: "not timed"
    case .never: isComplete ? "at any size" : "beyond \(Quantity.grouped(largest))"
    case .before: "not at \(Quantity.grouped(smallest))"
    case .at(let records): "to \(NumberFormat.about(records))"
    }
  }

  /// The same with the interval, the sizes measured and what the law says beyond them: `to ~650 (600-700)`,
  /// `at any size measured (to 10,000); by the law to ~21,000`.
  public var inFull: String {
    switch at {
    case nil: return "not timed"
    case .never:
      let beyond = extrapolated.map { "; by the law to \(NumberFormat.about($0)), outside of what was measured" }
      return "at any size measured (to \(Quantity.grouped(largest)))" + (beyond ?? "")
    case .before:
      let below = extrapolated.map { "; by the law to \(NumberFormat.about($0)), outside of what was measured" }
      return inWords + (below ?? "")
    case .at:
      return inWords + (interval.map { " (\(NumberFormat.sizes($0, smallest: smallest, largest: largest)))" } ?? "")
    }
  }
}
