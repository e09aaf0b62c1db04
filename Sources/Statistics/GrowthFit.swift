/// How a measured quantity grows with x: the law through the medians of the rounds, and how far rounds disagree.
///
/// Every round measured the whole curve once. What is read off the medians (a slope, an exponent, the place where a
/// limit is passed) is read off each round's values as well, and the interval is the order-statistic interval of
/// these replicates: ``MedianInterval``. There is no resampling and no assumption about the noise.
public struct GrowthFit: Sendable, Equatable {
  /// The medians' curve.
  public let curve: GrowthCurve
  /// The slope of the straight line through the medians on log-log axes; nil with one point.
  public let slope: Double?
  /// Its interval; nil below ``MedianInterval/fewestValues`` rounds.
  public let slopeInterval: MedianInterval?
  /// The interval of the law's exponent, likewise; nil where the law has no constant, since then it is the slope's.
  public let exponentInterval: MedianInterval?
  /// The typical distance of the medians from the law, as a share: 0.03 is 3 %. Nil where the law has as many
  /// parameters as there are points, and so goes through them.
  public let residual: Double?
  /// The rounds' own curves, by round.
  public let rounds: [Int: GrowthCurve]
  /// The variance of ln of a median that the noise of the rounds makes, or what is taken for it where there are none.
  public let noise: Double

  /// The law.
  public var law: GrowthModel { curve.law }
  /// Whether the law has a constant.
  public var hasConstant: Bool { exponentInterval != nil || law.constant > 0 }

  /// Fits a law.
  ///
  /// The constant is kept only where it explains what the noise cannot: where it takes more than nine times the
  /// variance of a median off the squared error, which noise alone does in less than one of a hundred fits.
  ///
  /// - Parameters:
  ///   - points: The medians, with positive coordinates and different x.
  ///   - rounds: What each round measured at those x, in the order of the points. None for exact counts.
  /// - Returns: nil if there is no point.
  public init?(_ points: [(x: Double, y: Double)], rounds: [Int: [Double]] = [:]) {
    let order = points.indices.sorted { points[$0].x < points[$1].x }
    let points = order.map { points[$0] }.filter { $0.x > 0 && $0.y > 0 }
    guard let first = points.first, points.count == order.count else { return nil }
    let whole = rounds.filter { $0.value.count == points.count && $0.value.allSatisfy { $0 > 0 } }
      .mapValues { values in order.map { values[$0] } }
    let replicates = whole.mapValues { zip(points, $0).map { (x: $0.x, y: $1) } }

    var law = GrowthModel(power: points) ?? GrowthModel(constant: 0, coefficient: first.y, exponent: 0)
    noise = Self.medianVariance(points, Array(whole.values))
    var hasConstant = false
    // An exponent at the end of those that are tried is no find: the curve has a step there, not a power.
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

  /// The interval of something that is read off a curve.
  ///
  /// - Parameter reading: It; infinite where it lies beyond all points, 0 where before them.
  public func interval(_ reading: (GrowthCurve) -> Double) -> MedianInterval? {
    Self.interval(rounds.values.map(reading))
  }

  /// Where this law ends and another begins; nil where one law does, or the sizes are too few to tell. It is looked for
  /// each time.
  public func breakPoint() -> Breakpoint? { Breakpoint(curve.knots.map { (x: $0.x, y: $0.y) }, noise: noise) }

  private static func interval(_ values: [Double]) -> MedianInterval? { MedianInterval(of: values.sorted()) }

  private static func squaredError(_ law: GrowthModel, _ points: [(x: Double, y: Double)]) -> Double {
    points.reduce(0) { sum, point in
      let distance = log(point.y / law.predict(point.x))
      return sum + distance * distance
    }
  }

  /// The variance of ln of a median over rounds, from how far the rounds' values lie from it once each round's own
  /// pace is taken out; robust, since bursts are common. At least that of 0.5 %: no law of times is that exact. Counts
  /// have no rounds and no noise.
  private static func medianVariance(_ points: [(x: Double, y: Double)], _ rounds: [[Double]]) -> Double {
    guard rounds.count >= 2, points.count >= 2 else { return 0.001 * 0.001 }
    let least = 0.005 * 0.005
    var distances: [Double] = []
    for values in rounds {
      let logs = zip(points, values).map { log($1 / $0.y) }
      let pace = logs.reduce(0, +) / Double(logs.count)
      distances += logs.map { abs($0 - pace) }
    }
    guard let middle = Quantile.median(of: distances.sorted()) else { return least }
    // Taking out the paces leaves (rounds - 1) x (points - 1) degrees of freedom; a median's variance is pi/2 times
    // that of a mean.
    let freedom = Double((rounds.count - 1) * (points.count - 1))
    let variance = 1.4826 * 1.4826 * middle * middle * Double(distances.count) / freedom
    return max(least, Double.pi / 2 * variance / Double(rounds.count))
  }
}

/// A law bent so that it goes through its points: what is read off it never contradicts what was measured.
///
/// Between two points the distance from the law is interpolated on log-log axes; beyond the ends it stays. How far the
/// curve can be trusted there is said by ``GrowthFit/reading(at:)``.
public struct GrowthCurve: Sendable, Equatable {
  /// The law.
  public let law: GrowthModel
  /// A point that was measured.
  public struct Knot: Sendable, Equatable {
    /// Where.
    public let x: Double
    /// What was measured there.
    public let y: Double
    /// ln(y / law).
    let distance: Double
  }

  /// The points, by ascending x.
  public let knots: [Knot]

  /// Bends a law through points with positive coordinates, by ascending x.
  init(law: GrowthModel, points: [(x: Double, y: Double)]) {
    self.law = law
    knots = points.map { Knot(x: $0.x, y: $0.y, distance: log($0.y / law.predict($0.x))) }
  }

  /// The curve's value at an x above 0.
  public func value(at x: Double) -> Double {
    guard let first = knots.first, let last = knots.last else { return law.predict(x) }
    if x <= first.x { return law.predict(x) * exp(first.distance) }
    if x >= last.x { return law.predict(x) * exp(last.distance) }
    let next = knots.firstIndex { $0.x > x } ?? 1
    let (left, right) = (knots[next - 1], knots[next])
    let share = log(x / left.x) / log(right.x / left.x)
    return law.predict(x) * exp(left.distance + share * (right.distance - left.distance))
  }

  /// Where the curve first rises above a limit above 0: at the knots or between two of them.
  public func crossing(of limit: Double) -> Crossing {
    guard let above = knots.firstIndex(where: { $0.y > limit }) else { return .never }
    guard above > 0 else { return .before }
    return .at(Self.root(in: knots[above - 1].x...knots[above].x) { value(at: $0) - limit })
  }

  /// Where this curve, lower at the range's lower end, rises above another one within a range: infinite if it is
  /// still lower at the upper end, 0 if it is not lower at the lower one.
  public func overtakes(_ other: GrowthCurve, in range: ClosedRange<Double>) -> Double {
    let difference = { (x: Double) in log(value(at: x) / other.value(at: x)) }
    if difference(range.lowerBound) >= 0 { return 0 }
    if difference(range.upperBound) <= 0 { return .infinity }
    return Self.root(in: range, of: difference)
  }

  /// The place at which a function that is negative at the lower end and positive at the upper one passes 0, by
  /// halving the range on a logarithmic axis.
  private static func root(in range: ClosedRange<Double>, of function: (Double) -> Double) -> Double {
    var (low, high) = (log(range.lowerBound), log(range.upperBound))
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if function(exp(middle)) > 0 { high = middle } else { low = middle }
    }
    return exp((low + high) / 2)
  }
}

/// Where measured points pass a limit.
public enum Crossing: Sendable, Equatable {
  /// Every point lies at or under the limit.
  case never
  /// The first point already lies above it.
  case before
  /// The limit is passed at this x, between two points.
  case at(Double)

  /// The x; infinite for ``never``, 0 for ``before``, so that it can be ordered.
  public var place: Double {
    switch self {
    case .never: .infinity
    case .before: 0
    case .at(let x): x
    }
  }
}
