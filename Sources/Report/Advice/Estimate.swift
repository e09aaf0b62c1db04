import StorageContract
import StorageStatistics

/// What an operation takes at a number of records, and what that rests on.
public struct Estimate: Sendable {
  /// How far the number is from what was measured.
  public enum Basis: Sendable, Equatable {
    /// Measured at this very size.
    case measured
    /// By the law, between two sizes that were measured.
    case between(Int, Int)
    /// Beyond the sizes that were measured, by this factor.
    case extrapolated(from: Int, factor: Double)
    /// Measured at one size only, which is larger: it takes no more than that.
    case atMost(Int)
    /// Measured at one size only, which is smaller by this factor: how it grows is not known.
    case atLeast(Int, factor: Double)
    /// Measured at this smaller size, and taken to grow as loading everything does.
    case loading(from: Int)
  }

  /// Nanoseconds.
  public let time: Double
  /// See ``Basis``.
  public let basis: Basis
  /// The rows that it rests on, as a pattern over cell names: `sqlite/save-one/*/shipped`.
  public let cells: String
  /// Whether it was measured by a single trial, which shows no interval.
  public let isTimedOnce: Bool
  /// The same time from each round.
  let timings: Rounds
  /// The factors by which it may be smaller and larger than the rounds show.
  let spread: (low: Double, high: Double)

  /// The same from each round, in nanoseconds.
  public var rounds: [Int: Double] { Dictionary(uniqueKeysWithValues: timings.map { ($0, $1.typical) }) }

  /// Its interval: over the rounds and, beyond the sizes that were measured, as far as the curve may bend. Nil where
  /// there are fewer than `MedianInterval.fewestValues` rounds and nothing else to say.
  public var interval: MedianInterval? {
    GrowthReading(value: time, rounds: rounds, low: spread.low, high: spread.high).interval
  }

  /// Reads a series at a size.
  ///
  /// - Returns: nil where it has no times, or where nothing can be said so far outside of the sizes that were measured;
  ///   see `GrowthFit.reading(at:)`.
  public init?(_ series: CostSeries, at records: Int) {
    let timed = series.timed
    let sizes = timed.map(\.cell.records)
    guard let fit = series.time, let smallest = sizes.first, let largest = sizes.last else { return nil }
    let x = Double(records)
    var pattern = series.pattern
    pattern.records = records
    let name = pattern.name
    if let row = series.row(at: records), row.status == .ok, let measured = row.typicalTime {
      (time, basis, timings, spread, cells) = (measured, .measured, row.rounds, (1, 1), name)
      isTimedOnce = row.isTimedOnce
      return
    }
    isTimedOnce = timed.allSatisfy(\.isTimedOnce)
    if sizes.count == 1 {
      // The only size there is bounds all smaller ones, however far away.
      guard x <= Double(largest) * GrowthFit.reach else { return nil }
      basis = records < largest ? .atMost(largest) : .atLeast(largest, factor: x / Double(largest))
      (time, timings, spread) = (timed[0].typicalTime ?? 0, timed[0].rounds, (1, 1))
      cells = name.replacing("/\(records)/", with: "/\(largest)/")
      return
    }
    guard let reading = fit.reading(at: x) else { return nil }
    if let next = sizes.first(where: { $0 > records }), let last = sizes.last(where: { $0 < records }) {
      basis = .between(last, next)
    } else if records > largest {
      basis = .extrapolated(from: largest, factor: x / Double(largest))
    } else {
      basis = .extrapolated(from: smallest, factor: Double(smallest) / x)
    }
    let resolution = timed.flatMap { $0.rounds.values.map(\.resolution) }.max() ?? 0
    time = reading.value
    timings = Rounds(reading.rounds.map { ($0, RoundTiming(typical: $1, resolution: resolution)) })
    spread = (reading.low, reading.high)
    cells = name.replacing("/\(records)/", with: "/*/")
  }

  /// Reads a series of launches at a size.
  ///
  /// A whole-file engine reads everything before it shows anything. Beyond the sizes of its launches it is taken to grow
  /// as loading everything does, where that was measured further.
  ///
  /// - Parameter loading: What loading everything takes the same backend.
  init?(launch series: CostSeries, loading: CostSeries?, at records: Int) {
    let own = Estimate(series, at: records)
    let isKnown = own.map { !$0.isExtrapolated } ?? false
    guard !isKnown, series.isWholeFile, let loading, let row = series.timed.last, row.cell.records < records,
      let time = row.typicalTime, let fit = loading.time, let here = fit.reading(at: Double(records)),
      let there = fit.reading(at: Double(row.cell.records))
    else {
      guard let own else { return nil }
      self = own
      return
    }
    self.time = time * here.value / there.value
    basis = .loading(from: row.cell.records)
    cells = "\(row.cell.name) \(loading.pattern.name.replacing("/0/", with: "/*/"))"
    isTimedOnce = row.isTimedOnce
    timings = row.rounds.reduce(into: [:]) { timings, round in
      guard let mine = here.rounds[round.key], let other = there.rounds[round.key], other > 0 else { return }
      timings[round.key] = RoundTiming(typical: round.value.typical * mine / other, resolution: round.value.resolution)
    }
    spread = (here.low / there.high, here.high / there.low)
  }

  /// Whether neither it nor anything beyond it was measured.
  public var isExtrapolated: Bool {
    switch basis {
    case .extrapolated, .atLeast, .loading: true
    case .measured, .between, .atMost: false
    }
  }

  /// Whether it was measured with more records only, and so takes no more than that.
  public var isAtMost: Bool {
    if case .atMost = basis { return true }
    return false
  }

  /// Whether it was measured at a smaller size only, which does not show how it grows.
  public var isGrowthUnknown: Bool {
    if case .atLeast = basis { return true }
    return false
  }

  /// `218 us`, `218 us*` beyond what was measured, `<218 us` for at most.
  public var inShort: String {
    switch basis {
    case .measured, .between: NumberFormat.time(time)
    case .extrapolated, .atLeast, .loading: NumberFormat.time(time) + "*"
    case .atMost: "<" + NumberFormat.time(time)
    }
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
      "interpolated between \(Quantity.grouped(low)) and \(Quantity.grouped(high)) records"
    case .extrapolated(let from, let factor):
      "EXTRAPOLATED \(NumberFormat.ratio(factor)) beyond the \(Quantity.grouped(from)) records measured"
    case .atMost(let size): "measured at \(Quantity.grouped(size)) records only: at most that"
    case .atLeast(let size, let factor):
      "measured at \(Quantity.grouped(size)) records only, \(NumberFormat.ratio(factor)) fewer: how it grows is not known"
    case .loading(let size):
      "EXTRAPOLATED from \(Quantity.grouped(size)) records as loading everything grows"
    }
  }
}
