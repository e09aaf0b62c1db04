import StorageContract
import StorageStatistics

/// Up to which N an operation stays within a time.
public struct SizeLimit: Sendable {
  /// Where the median passes it; nil if nothing was timed.
  public let at: Crossing?
  /// The interval of that place over the rounds, of which an end may be 0 (before the smallest size) or infinite
  /// (beyond the largest); nil where it is not passed between the sizes, or the rounds are too few.
  public let interval: MedianInterval?
  /// Where it would be passed outside of what was measured, with its interval; nil where nothing can be said.
  public let extrapolated: (x: Double, interval: MedianInterval)?
  /// The smallest N that was timed.
  public let smallest: Int
  /// The largest.
  public let largest: Int
  /// Whether no larger N was planned.
  public let isComplete: Bool

  /// One frame at 60 per second, in nanoseconds; half of it is one at 120.
  public static let frame = 16_700_000.0

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
      extrapolated = fit?.extrapolated(to: nanoseconds)
    }
  }

  private var isOneSize: Bool { smallest == largest }

  /// `to 10,000+` where all sizes measured stay within it, `to ~650`, `over at 100`, `at 100` where no other size was
  /// timed, or `not timed`.
  public var inWords: String {
    switch at {
    case nil: "not timed"
    case .never: isOneSize && isComplete ? "at \(Quantity.grouped(largest))" : "to \(Quantity.grouped(largest))+"
    case .before: "over at \(Quantity.grouped(smallest))"
    case .at(let records): "to \(NumberFormat.about(records))"
    }
  }

  /// The same in full, with the interval and what can be said of larger sizes: `to ~650 (600-700)`,
  /// `at every size measured (100 to 10,000); extrapolated: to ~21,000 (18,000-25,000)`.
  public var inFull: String {
    let beyond = extrapolated.map {
      "; extrapolated: to \(NumberFormat.about($0.x)) (\(NumberFormat.places($0.interval)))"
    }
    let unknown = isOneSize ? "; at other sizes not known" : ""
    switch at {
    case nil: return "not timed"
    case .never:
      let sizes = isOneSize ? "" : "\(Quantity.grouped(smallest)) to "
      return "at \(isOneSize ? "the only size" : "every size") measured (\(sizes)\(Quantity.grouped(largest)))"
        + (beyond ?? unknown)
    case .before: return "over one frame at \(Quantity.grouped(smallest))" + (beyond ?? unknown)
    case .at:
      return inWords + (interval.map { " (\(NumberFormat.sizes($0, smallest: smallest, largest: largest)))" } ?? "")
    }
  }
}
