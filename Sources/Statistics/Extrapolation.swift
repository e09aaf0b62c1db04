/// The value of a growth curve at one size: measured, interpolated or extrapolated.
public struct GrowthReading: Sendable, Equatable {
  /// The value of the growth curve at one size: the median at a measured size, a calculated value elsewhere.
  public let value: Double
  /// The value of each round's growth curve at one size, by the number of the round (repetition).
  public let rounds: [Int: Double]
  /// The lower bound of an extrapolated ``value``, divided by ``value``: 0.8 is 20 % below the value. Without
  /// extrapolation, the quotient is 1.
  public let low: Double
  /// The upper bound of an extrapolated ``value``, divided by ``value``: 1.2 is 20 % above the value. Without
  /// extrapolation, the quotient is 1.
  public let high: Double

  /// The confidence interval of ``value``, including the uncertainty of an extrapolation. Nil if unknown.
  public var interval: MedianInterval? {
    let noise = MedianInterval(of: rounds.values.sorted())
    guard noise != nil || low < high else { return nil }
    return MedianInterval(low: (noise?.low ?? value) * low, high: (noise?.high ?? value) * high)
  }
}

extension GrowthFit {
  /// The limit of an extrapolation: up to ten times the largest measured size, or down to a tenth of the smallest.
  public static let reach = 10.0
  /// The widest accepted interval of an extrapolated value, as the ratio of the upper to the lower end.
  public static let widest = 4.0
  /// The uncertainty of the growth exponent outside the measured sizes: ±0.1 for larger sizes, ±0.3 for smaller ones.
  static let slack = (beyond: 0.1, before: 0.3)

  /// Whether the values clearly grow with the number of records (or another size): by a factor over 1.4 for ten times
  /// the records.
  public var isGrowing: Bool { (slope ?? 0) > 0.15 && (slopeInterval?.low ?? 1) > 0 }

  /// Returns the value of the growth curve at a size. Outside the measured sizes, the value is extrapolated.
  ///
  /// - Returns: Nil if `x` is too far away (see ``reach``), or if an extrapolation would be too uncertain.
  public func reading(at x: Double) -> GrowthReading? {
    let knots = curve.knots
    guard let first = knots.first, let last = knots.last, x > 0 else { return nil }
    if x >= first.x, x <= last.x {
      return GrowthReading(value: curve.value(at: x), rounds: rounds.mapValues { $0.value(at: x) }, low: 1, high: 1)
    }
    guard knots.count >= 3, x <= last.x * Self.reach, x >= first.x / Self.reach else { return nil }
    let ends = x > last.x ? Array(knots.suffix(3).reversed()) : Array(knots.prefix(3))
    let steps = (near: abs(log(ends[0].x / ends[1].x)), far: abs(log(ends[1].x / ends[2].x)))
    let way = abs(log(x / ends[0].x))
    let slack = (x > last.x || hasConstant ? Self.slack.beyond : Self.slack.before) * way
    let slopes = (near: log(ends[0].y / ends[1].y) / steps.near, far: log(ends[1].y / ends[2].y) / steps.far)
    let missed = slopes.near - slopes.far
    let straight = log(ends[0].y) + slopes.near * way
    // The bend is continued: the slope changes by the same amount in every step.
    let bend = missed / ((steps.near + steps.far) / 2) * (steps.near * way + way * way) / 2
    let byLaw = log(curve.value(at: x))
    let value = hasConstant ? byLaw : straight
    var paths = [byLaw, straight, straight + bend, straight + missed * way]
    // A step in the values distorts the slope between the last two points. A model with a constant has no step.
    if !hasConstant { paths.append(straight - abs(missed) * way * 0.5) }
    let low = exp((paths.min() ?? value) - value - slack)
    let high = exp((paths.max() ?? value) - value + slack)
    let reading = GrowthReading(
      value: exp(value), rounds: rounds.mapValues { hasConstant ? $0.value(at: x) : $0.straight(to: x) }, low: low,
      high: high)
    guard let interval = reading.interval, interval.high <= interval.low * Self.widest else { return nil }
    return reading
  }

  /// Finds the size above or below all measured sizes at which a quantity passes 0.
  ///
  /// - Parameters:
  ///   - upwards: Whether to search above the measured sizes; if false, below them. The search ends at ``reach``.
  ///   - quantity: Returns the quantity, negative at small and positive at large sizes, with its interval. Nil ends the
  ///     search.
  /// - Returns: The size with its confidence interval, or nil if no such size is found.
  public func size(
    upwards: Bool, where quantity: (Double) -> (value: Double, interval: MedianInterval)?
  ) -> (x: Double, interval: MedianInterval)? {
    guard let end = upwards ? curve.knots.last?.x : curve.knots.first?.x else { return nil }
    let sign = upwards ? 1.0 : -1.0
    // The search goes outwards in small steps, since the quantity may pass 0 more than once.
    let steps = 200
    let sizes = (1...steps).map { end * exp(sign * log(Self.reach) * Double($0) / Double(steps)) }
    func passing(_ part: (_ value: Double, _ interval: MedianInterval) -> Double) -> Double? {
      for x in sizes {
        guard let found = quantity(x) else { return nil }
        if sign * part(found.value, found.interval) > 0 { return x }
      }
      return nil
    }
    guard let x = passing({ value, _ in value }) else { return nil }
    // The interval's upper end passes 0 first on the way up, the lower end on the way down.
    let early = passing { upwards ? $1.high : $1.low } ?? x
    let late = passing { upwards ? $1.low : $1.high } ?? (upwards ? .infinity : 0)
    return (x, MedianInterval(low: min(early, late), high: max(early, late)))
  }

  /// Returns the size outside the measured sizes at which the curve passes a limit, such as a time of 1 ms. Nil if not
  /// found.
  public func extrapolated(to limit: Double) -> (x: Double, interval: MedianInterval)? {
    guard isGrowing, let last = curve.knots.last else { return nil }
    return size(upwards: last.y <= limit) { x in
      guard let reading = reading(at: x), let interval = reading.interval else { return nil }
      return (
        log(reading.value / limit), MedianInterval(low: log(interval.low / limit), high: log(interval.high / limit))
      )
    }
  }
}

extension GrowthCurve {
  /// Returns the value at `x` on the straight line through the two nearest measured points on log-log axes.
  func straight(to x: Double) -> Double {
    guard let first = knots.first, let last = knots.last, knots.count > 1 else { return value(at: x) }
    let (end, next) = x > last.x ? (last, knots[knots.count - 2]) : (first, knots[1])
    return end.y * exp(log(end.y / next.y) / log(end.x / next.x) * log(x / end.x))
  }
}
