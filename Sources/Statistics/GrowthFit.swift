/// The growth of a measured quantity with a size x: a curve through the medians of the rounds (repetitions). The
/// intervals are computed from separate curves, one for each round.
///
/// Every round measures the quantity at all sizes. Each result, such as the slope, is computed from the medians and
/// also from each round's values. Its interval is the order-statistic interval of the rounds' results:
/// ``MedianInterval``.
public struct GrowthFit: Sendable, Equatable {
  /// The growth curve through the medians of the rounds (repetitions).
  public let curve: GrowthCurve
  /// The slope of the straight line through the medians of the rounds (repetitions) on log-log axes; nil for one point.
  public let slope: Double?
  /// The interval of ``slope``, from one slope for each round (repetition). Nil for fewer than
  /// ``MedianInterval/fewestValues`` rounds.
  public let slopeInterval: MedianInterval?
  /// The interval of the growth law's exponent. Nil if the law has no constant, since ``slopeInterval`` then applies,
  /// and for too few rounds (repetitions).
  public let exponentInterval: MedianInterval?
  /// The typical distance of the medians from the growth law, as a share: 0.03 is 3 %. Nil if the law has as many
  /// parameters as there are points, since it then passes through all points.
  public let residual: Double?
  /// The growth curve of each round (repetition), by the number of the round.
  public let rounds: [Int: GrowthCurve]
  /// The noise of the fitted medians, as the variance of the logarithm of one median. It is estimated from the scatter
  /// of the rounds (repetitions). Without rounds, a value is assumed.
  public let noise: Double

  /// The growth law that was fitted to the medians.
  public var law: GrowthModel { curve.law }
  /// Whether the growth law has a constant, which is a cost independent of the size.
  public var hasConstant: Bool { exponentInterval != nil || law.constant > 0 }

  /// Fits a law of growth to the medians of the rounds (repetitions). The law gets a constant only if the constant
  /// explains more than noise.
  ///
  /// - Parameters:
  ///   - points: The medians y at sizes x, with positive coordinates and different x.
  ///   - rounds: The values of each round at the sizes, in the order of the points. The key is the number of the round.
  ///     Empty for exact counts.
  /// - Returns: Nil if there is no point, or if a coordinate is not positive.
  public init?(_ points: [(x: Double, y: Double)], rounds: [Int: [Double]] = [:]) {
    // The constant must reduce the squared error by more than nine times the variance of a median, which noise alone
    // does in less than one of a hundred fits.
    let order = points.indices.sorted { points[$0].x < points[$1].x }
    let points = order.map { points[$0] }.filter { $0.x > 0 && $0.y > 0 }
    guard let first = points.first, points.count == order.count else { return nil }
    let whole = rounds.filter { $0.value.count == points.count && $0.value.allSatisfy { $0 > 0 } }
      .mapValues { values in order.map { values[$0] } }
    let replicates = whole.mapValues { zip(points, $0).map { (x: $0.x, y: $1) } }

    var law = GrowthModel(power: points) ?? GrowthModel(constant: 0, coefficient: first.y, exponent: 0)
    noise = Self.medianVariance(points, Array(whole.values))
    var hasConstant = false
    // An exponent at the upper end of the searched range is not a result: the values then have a step, and follow no
    // power law.
    if let extended = GrowthModel(withConstant: points), extended.constant > 0, extended.coefficient > 0,
      extended.exponent < GrowthModel.exponents.upperBound - 0.01
    {
      let gain = Self.squaredError(law, points) - Self.squaredError(extended, points)
      if gain > 9 * noise {
        law = extended
        hasConstant = true
      }
    }
    let parameters = hasConstant ? 3 : 2
    residual =
      points.count > parameters
      ? (Self.squaredError(law, points) / Double(points.count)).squareRoot() : nil
    curve = GrowthCurve(law: law, points: points)
    slope = PowerFit(points)?.slope
    slopeInterval = Self.interval(replicates.values.compactMap { PowerFit($0)?.slope })
    let laws = replicates.compactMapValues { hasConstant ? GrowthModel(withConstant: $0) : GrowthModel(power: $0) }
    exponentInterval = hasConstant ? Self.interval(laws.values.map(\.exponent)) : nil
    self.rounds = replicates.reduce(into: [:]) { curves, replicate in
      curves[replicate.key] = GrowthCurve(law: laws[replicate.key] ?? law, points: replicate.value)
    }
  }

  /// Returns the interval of a result, such as the size at which the curve passes a limit, from the curves of all
  /// rounds (repetitions). Nil for fewer than ``MedianInterval/fewestValues`` rounds.
  ///
  /// - Parameter reading: Computes the result from one round's curve. If the result is a size, the closure must return
  ///   infinity for a size above all points, and 0 for a size below all points.
  public func interval(_ reading: (GrowthCurve) -> Double) -> MedianInterval? {
    Self.interval(rounds.values.map(reading))
  }

  /// Searches for the size at which the growth changes. Returns nil if one law of growth suffices, or if there are too
  /// few sizes. Every call repeats the search.
  public func breakPoint() -> Breakpoint? { Breakpoint(curve.knots.map { (x: $0.x, y: $0.y) }, noise: noise) }

  private static func interval(_ values: [Double]) -> MedianInterval? { MedianInterval(of: values.sorted()) }

  private static func squaredError(_ law: GrowthModel, _ points: [(x: Double, y: Double)]) -> Double {
    points.reduce(0) { sum, point in
      let distance = log(point.y / law.predict(point.x))
      return sum + distance * distance
    }
  }

  private static func medianVariance(_ points: [(x: Double, y: Double)], _ rounds: [[Double]]) -> Double {
    // The variance is computed from the distances of the rounds' values from the median, after each round's pace (its
    // mean distance) is removed. The estimate is robust, since bursts are common. It is at least that of a scatter of
    // 0.5 %, because no law of times is more exact. Counts have no rounds and no noise.
    guard rounds.count >= 2, points.count >= 2 else { return 0.001 * 0.001 }
    let least = 0.005 * 0.005
    var distances: [Double] = []
    for values in rounds {
      let logs = zip(points, values).map { log($1 / $0.y) }
      let pace = logs.reduce(0, +) / Double(logs.count)
      distances += logs.map { abs($0 - pace) }
    }
    guard let middle = Quantile.median(of: distances.sorted()) else { return least }
    // Removing the paces leaves (rounds - 1) × (points - 1) degrees of freedom. The variance of a median is pi/2 times
    // that of a mean.
    let freedom = Double((rounds.count - 1) * (points.count - 1))
    let variance = 1.4826 * 1.4826 * middle * middle * Double(distances.count) / freedom
    return max(least, Double.pi / 2 * variance / Double(rounds.count))
  }
}

/// A growth law with a correction, so that the curve passes through the measured points.
///
/// The correction is the distance of the points from the law. Between two points, the distance is interpolated on
/// log-log axes. Outside the points, the distance is constant, and ``GrowthFit/reading(at:)`` gives the uncertainty of
/// the curve.
public struct GrowthCurve: Sendable, Equatable {
  /// The law of growth that is adjusted to pass through the ``knots``.
  public let law: GrowthModel
  /// A measured point of a growth curve.
  public struct Knot: Sendable, Equatable {
    /// The size at which the value was measured.
    public let x: Double
    /// The measured value at the size.
    public let y: Double
    /// The logarithm of the measured value divided by the law's prediction, ln(y / law).
    let distance: Double
  }

  /// The measured points of the growth curve, by ascending x.
  public let knots: [Knot]

  init(law: GrowthModel, points: [(x: Double, y: Double)]) {
    self.law = law
    knots = points.map { Knot(x: $0.x, y: $0.y, distance: log($0.y / law.predict($0.x))) }
  }

  /// Returns the value of the growth curve at an x above 0.
  public func value(at x: Double) -> Double {
    guard let first = knots.first, let last = knots.last else { return law.predict(x) }
    if x <= first.x { return law.predict(x) * exp(first.distance) }
    if x >= last.x { return law.predict(x) * exp(last.distance) }
    let next = knots.firstIndex { $0.x > x } ?? 1
    let (left, right) = (knots[next - 1], knots[next])
    let share = log(x / left.x) / log(right.x / left.x)
    return law.predict(x) * exp(left.distance + share * (right.distance - left.distance))
  }

  /// Returns the size x at which the curve first rises above a limit for y, such as a time. The limit must be positive.
  public func crossing(of limit: Double) -> Crossing {
    guard let above = knots.firstIndex(where: { $0.y > limit }) else { return .never }
    guard above > 0 else { return .before }
    return .at(Self.root(in: knots[above - 1].x...knots[above].x) { value(at: $0) - limit })
  }

  /// Returns the x at which this curve rises above another curve within a range. The result is infinite if this curve
  /// is still lower at the upper end, and 0 if it is not lower at the lower end.
  public func overtakes(_ other: GrowthCurve, in range: ClosedRange<Double>) -> Double {
    let difference = { (x: Double) in log(value(at: x) / other.value(at: x)) }
    if difference(range.lowerBound) >= 0 { return 0 }
    if difference(range.upperBound) <= 0 { return .infinity }
    return Self.root(in: range, of: difference)
  }

  /// Finds the zero of a function by bisection on a logarithmic axis. The function must be negative at the lower end of
  /// the range and positive at the upper end.
  private static func root(in range: ClosedRange<Double>, of function: (Double) -> Double) -> Double {
    var (low, high) = (log(range.lowerBound), log(range.upperBound))
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if function(exp(middle)) > 0 { high = middle } else { low = middle }
    }
    return exp((low + high) / 2)
  }
}

/// The size at which a growth curve passes a limit, such as a time of 1 ms.
public enum Crossing: Sendable, Equatable {
  /// Every measured point of the curve is at or below the limit.
  case never
  /// The first measured point of the curve is already above the limit.
  case before
  /// The curve passes the limit at this size, between two measured points.
  case at(Double)

  /// The size at the crossing of the limit; infinite for ``never``, 0 for ``before``, so that crossings can be ordered.
  public var size: Double {
    switch self {
    case .never: .infinity
    case .before: 0
    case .at(let x): x
    }
  }
}
