import StorageContract
import StorageStatistics

/// What an operation takes at a number of records, and what that rests on.
public struct Estimate: Sendable, Equatable {
  /// How far the number is from what was measured.
  public enum Basis: Sendable, Equatable {
    /// Measured at this very size.
    case measured
    /// By the law, between two sizes that were measured.
    case between(Int, Int)
    /// By the law, beyond the sizes that were measured, by this factor.
    case extrapolated(from: Int, factor: Double)
    /// Measured at one size only, which is larger: it takes no more than that.
    case atMost(Int)
    /// Measured at one size only, which is smaller by this factor: how it grows is not known.
    case atLeast(Int, factor: Double)
  }

  /// Nanoseconds.
  public let time: Double
  /// See ``Basis``.
  public let basis: Basis
  /// The same from each round.
  public let rounds: [Int: Double]
  /// The rows that it rests on, as a pattern over cell names: `sqlite/save-one/*/shipped`.
  public let cells: String

  /// Its interval over the rounds; nil below ``MedianInterval/fewestValues``.
  public var interval: MedianInterval? { MedianInterval(of: rounds.values.sorted()) }

  /// Reads a series at a size.
  ///
  /// - Returns: nil where it has no times, or where the size lies more than ``SizeLimit/reach`` times outside of
  ///   those that were measured.
  public init?(_ series: CostSeries, at records: Int) {
    let sizes = series.timed.map(\.cell.records)
    guard let fit = series.time, let smallest = sizes.first, let largest = sizes.last else { return nil }
    let x = Double(records)
    guard x <= Double(largest) * SizeLimit.reach else { return nil }
    // Below the only size there is, that size is a bound however far away; a law must not be followed as far.
    guard sizes.count == 1 || x >= Double(smallest) / SizeLimit.reach else { return nil }
    time = fit.curve.value(at: x)
    rounds = fit.rounds.mapValues { $0.value(at: x) }
    if sizes.contains(records) {
      basis = .measured
    } else if sizes.count == 1 {
      basis = records < largest ? .atMost(largest) : .atLeast(largest, factor: x / Double(largest))
    } else if let next = sizes.first(where: { $0 > records }), let last = sizes.last(where: { $0 < records }) {
      basis = .between(last, next)
    } else if records > largest {
      basis = .extrapolated(from: largest, factor: x / Double(largest))
    } else {
      basis = .extrapolated(from: smallest, factor: Double(smallest) / x)
    }
    var pattern = series.pattern
    pattern.records = records
    let name = pattern.name
    cells = basis == .measured ? name : name.replacing("/\(records)/", with: sizes.count == 1 ? "/\(largest)/" : "/*/")
  }

  /// Whether neither it nor anything beyond it was measured.
  public var isExtrapolated: Bool {
    switch basis {
    case .extrapolated, .atLeast: true
    case .measured, .between, .atMost: false
    }
  }

  /// Whether it was measured at a smaller size only, which does not show how it grows.
  public var isGrowthUnknown: Bool {
    if case .atLeast = basis { return true }
    return false
  }

  /// `218 us (205 us to 230 us)`.
  public var inWords: String {
    NumberFormat.time(time)
      + (interval.map { " (\(NumberFormat.time($0.low)) to \(NumberFormat.time($0.high)))" } ?? "")
  }

  /// `measured at this size`, `by the law between 1,000 and 10,000`.
  public var basisInWords: String {
    switch basis {
    case .measured: "measured at this size"
    case .between(let low, let high):
      "by the law between \(Quantity.grouped(low)) and \(Quantity.grouped(high)) records"
    case .extrapolated(let from, let factor):
      "EXTRAPOLATED \(NumberFormat.ratio(factor)) beyond the \(Quantity.grouped(from)) records measured"
    case .atMost(let size): "measured at \(Quantity.grouped(size)) records only: at most that"
    case .atLeast(let size, let factor):
      "measured at \(Quantity.grouped(size)) records only, \(NumberFormat.ratio(factor)) fewer: how it grows is not known"
    }
  }
}
