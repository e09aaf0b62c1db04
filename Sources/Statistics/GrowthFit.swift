/// A fit of growth curves to a measured quantity, such as a time, at different sizes, such as numbers of records.
public struct GrowthFit: Sendable, Equatable {
  /// The growth curve through the medians of all rounds (repetitions), such as a time by number of records.
  public let curve: GrowthCurve
  /// The slope of a straight line through the medians on log-log axes; 1 for proportional growth. Nil for a single
  /// point.
  public let slope: Double?
  /// The confidence interval of ``slope``; nil for too few rounds (repetitions).
  public let slopeInterval: MedianInterval?
  /// The confidence interval of the exponent b in a growth model y = a + c * x^b with a constant a. Nil without a
  /// constant or for too few rounds (repetitions).
  public let exponentInterval: MedianInterval?
  /// The typical relative distance of the medians from the growth model: 0.03 is 3 %. Nil for too few points.
  public let residual: Double?
  /// The growth curves of the single rounds (repetitions), by the number of the round.
  public let rounds: [Int: GrowthCurve]
  /// The variance of the noise of a median value, on a logarithmic scale. A fixed value for too few points or rounds
  /// (repetitions).
  public let noise: Double

  /// The growth model that was fitted to the measured medians.
  public var law: GrowthModel { curve.law }
  /// Whether the growth model has a constant: a cost that does not depend on the size.
  public var hasConstant: Bool { exponentInterval != nil || law.constant > 0 }

  /// Fits a growth model to values y, such as median times, at sizes x. The model gets a constant (a fixed cost) only
  /// if the constant improves the fit significantly.
  ///
  /// - Parameter rounds: The values y of each round (repetition), in the order of `points`. Empty for exact counts.
  /// - Returns: Nil if `points` is empty or has a coordinate that is not positive.
  public init?(_ points: [(x: Double, y: Double)], rounds: [Int: [Double]] = [:]) {
    // The constant must reduce the squared error by more than 9 variances of a median. Noise does so in under 1 % of
    // all fits.
    let order = points.indices.sorted { points[$0].x < points[$1].x }
    let points = order.map { points[$0] }.filter { $0.x > 0 && $0.y > 0 }
    guard let first = points.first, points.count == order.count else { return nil }
    let whole = rounds.filter { $0.value.count == points.count && $0.value.allSatisfy { $0 > 0 } }
      .mapValues { values in order.map { values[$0] } }
    let replicates = whole.mapValues { zip(points, $0).map { (x: $0.x, y: $1) } }

    let power = GrowthModel(power: points)
    var law = power ?? GrowthModel(constant: 0, coefficient: first.y, exponent: 0)
    noise = Self.medianVariance(points, Array(whole.values))
    var hasConstant = false
    // An exponent at the upper end of the searched range means that the values have a step, and follow no power law.
    if let extended = GrowthModel(withConstant: points), extended.constant > 0, extended.coefficient > 0,
      extended.exponent < GrowthModel.exponents.upperBound - 0.01
    {
      hasConstant = law.squaredError(points) - extended.squaredError(points) > 9 * noise
      if hasConstant { law = extended }
    }
    let isFree = points.count > (hasConstant ? 3 : 2)
    residual = isFree ? (law.squaredError(points) / Double(points.count)).squareRoot() : nil
    curve = GrowthCurve(law: law, points: points)
    slope = power?.exponent
    slopeInterval = Self.interval(replicates.values.compactMap { GrowthModel(power: $0)?.exponent })
    let laws = replicates.compactMapValues { hasConstant ? GrowthModel(withConstant: $0) : GrowthModel(power: $0) }
    exponentInterval = hasConstant ? Self.interval(laws.values.map(\.exponent)) : nil
    let curves = replicates.map { ($0, GrowthCurve(law: laws[$0] ?? law, points: $1)) }
    self.rounds = Dictionary(uniqueKeysWithValues: curves)
  }

  /// Returns the confidence interval of a number that `reading` computes from the growth curve of each round
  /// (repetition).
  ///
  /// - Parameter reading: Computes the number, such as the size at which a curve passes a limit. A size below all
  ///   measured sizes must be 0, and a size above them infinity.
  /// - Returns: Nil for fewer rounds than ``MedianInterval/fewestValues``.
  public func interval(_ reading: (GrowthCurve) -> Double) -> MedianInterval? {
    Self.interval(rounds.values.map(reading))
  }

  /// Searches for a size at which the growth of the measured values changes. Nil if none is found.
  public func breakPoint() -> Breakpoint? { Breakpoint(curve.knots.map { (x: $0.x, y: $0.y) }, noise: noise) }

  private static func interval(_ values: [Double]) -> MedianInterval? { MedianInterval(of: values.sorted()) }

  private static func medianVariance(_ points: [(x: Double, y: Double)], _ rounds: [[Double]]) -> Double {
    // The estimate is robust, because bursts are common. Each round's mean distance from the medians (its pace) is
    // removed. A scatter of at least 0.5 % is assumed.
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

/// A growth curve through all measured points: the fitted model ``law``, corrected to meet the points. For sizes
/// outside the points, use ``GrowthFit/reading(at:)``.
public struct GrowthCurve: Sendable, Equatable {
  /// The fitted growth model, such as y = 2 + 0.1 * x, which only comes near the measured points.
  public let law: GrowthModel
  /// A measured point through which a growth curve passes.
  public struct Knot: Sendable, Equatable {
    /// The size, such as the number of records, at which the value ``y`` was measured.
    public let x: Double
    /// The measured value, such as a time, at the size ``x``, such as a number of records.
    public let y: Double
    /// The distance of the measured value y from the growth model on a logarithmic scale: ln(y / model).
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

  /// Returns the crossing of a limit, such as a time: the size at which the curve first rises above the limit.
  public func crossing(of limit: Double) -> Crossing {
    guard let above = knots.firstIndex(where: { $0.y > limit }) else { return .never }
    guard above > 0 else { return .before }
    return .at(Self.root(in: knots[above - 1].x...knots[above].x) { value(at: $0) - limit })
  }

  /// Returns the size in a range, such as a number of records, above which this curve exceeds the curve `other`.
  ///
  /// - Returns: 0 if this curve is not below `other` at the start of the range; infinity if not above at the end.
  public func overtakes(_ other: GrowthCurve, in range: ClosedRange<Double>) -> Double {
    let difference = { (x: Double) in log(value(at: x) / other.value(at: x)) }
    if difference(range.lowerBound) >= 0 { return 0 }
    if difference(range.upperBound) <= 0 { return .infinity }
    return Self.root(in: range, of: difference)
  }

  /// Finds the zero of a function that rises from negative to positive in the range, by bisection on a logarithmic
  /// axis.
  private static func root(in range: ClosedRange<Double>, of function: (Double) -> Double) -> Double {
    var (low, high) = (log(range.lowerBound), log(range.upperBound))
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if function(exp(middle)) > 0 { high = middle } else { low = middle }
    }
    return exp((low + high) / 2)
  }
}

/// The size, such as a number of records, at which a growth curve rises above a limit, such as a time of 1 ms.
public enum Crossing: Sendable, Equatable {
  /// The curve never rises above the limit: all measured values are at or below the limit.
  case never
  /// The curve is above the limit from the first measured point on.
  case before
  /// The curve rises above the limit at this size, such as a number of records, between two measured points.
  case at(Double)

  /// The size, such as a number of records, at which the curve rises above the limit: infinity for ``never``, 0 for
  /// ``before``.
  public var size: Double {
    switch self {
    case .never: .infinity
    case .before: 0
    case .at(let x): x
    }
  }
}
