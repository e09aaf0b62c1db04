/// The value of a growth curve at one size: measured, interpolated between two points, or extrapolated.
public struct GrowthReading: Sendable, Equatable {
  /// The value on the growth curve through the medians of all rounds (repetitions).
  public let value: Double
  /// The value on the growth curve of each round (repetition), by the number of the round.
  public let rounds: [Int: Double]
  /// The factor, at most 1, by which the value is multiplied for the lower bound of an extrapolation. It is 1 within
  /// the measured sizes.
  public let low: Double
  /// The factor, at least 1, by which the value is multiplied for the upper bound of an extrapolation. It is 1 within
  /// the measured sizes.
  public let high: Double

  /// Creates a reading of a growth curve at one size. The factors `low` and `high` are 1 within the measured sizes.
  public init(value: Double, rounds: [Int: Double], low: Double, high: Double) {
    (self.value, self.rounds, self.low, self.high) = (value, rounds, low, high)
  }

  /// The interval of the value, from the scatter of the rounds (repetitions) and the uncertainty of an extrapolation;
  /// nil if neither is known.
  public var interval: MedianInterval? {
    let noise = MedianInterval(of: rounds.values.sorted())
    guard noise != nil || low < high else { return nil }
    return MedianInterval(low: (noise?.low ?? value) * low, high: (noise?.high ?? value) * high)
  }
}

extension GrowthFit {
  /// The largest factor between the nearest measured size and a size for which a value is extrapolated.
  public static let reach = 10.0
  /// The widest accepted interval of an extrapolated value, as the upper end divided by the lower end.
  public static let widest = 4.0
  /// The additional uncertainty of the exponent outside the measured sizes. Larger sizes may exhaust caches, and
  /// smaller sizes may reveal a constant cost.
  static let slack = (beyond: 0.1, before: 0.3)

  /// Whether times grow with the size. Ten times the size must cost more than 1.4 times (10^0.15) as much, and the
  /// rounds (repetitions) must agree on growth.
  public var isGrowing: Bool { (slope ?? 0) > 0.15 && (slopeInterval?.low ?? 1) > 0 }

  /// Returns the value of the growth curve at a size.
  ///
  /// Outside the measured points, the curve continues with the slope of the two nearest points, or along its growth law
  /// if the law has a constant. The error is estimated from the three nearest points, by the assumption that the
  /// slope changes as much beyond them as between them.
  ///
  /// - Returns: Nil outside the points if there are fewer than three points, if the size is farther away than
  ///   ``reach``, or if the interval would be wider than ``widest``.
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
    // The bend continues: the slope changes with every step as it did with the last.
    let bend = missed / ((steps.near + steps.far) / 2) * (steps.near * way + way * way) / 2
    let byLaw = log(curve.value(at: x))
    let value = hasConstant ? byLaw : straight
    var paths = [byLaw, straight, straight + bend, straight + missed * way]
    // A step that has ended distorts the slope between the last two points. With a constant there is no step, and the
    // slope grows.
    if !hasConstant { paths.append(straight - abs(missed) * way * 0.5) }
    let low = exp((paths.min() ?? value) - value - slack)
    let high = exp((paths.max() ?? value) - value + slack)
    let reading = GrowthReading(
      value: exp(value), rounds: rounds.mapValues { hasConstant ? $0.value(at: x) : $0.straight(to: x) }, low: low,
      high: high)
    guard let interval = reading.interval, interval.high <= interval.low * Self.widest else { return nil }
    return reading
  }

  /// Finds the size outside the measured points at which a quantity rises above 0, with the interval of this size. The
  /// result is nil without such a size within ``reach``, or if the extrapolation is too uncertain.
  ///
  /// - Parameters:
  ///   - upwards: Whether to search above the largest measured size; if false, below the smallest.
  ///   - quantity: Returns the quantity at a size, with its interval; nil if unknown. The quantity must be negative at
  ///     small sizes and positive at large ones.
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
    // Upwards the high end passes first, downwards the low end falls below first.
    let early = passing { upwards ? $1.high : $1.low } ?? x
    let late = passing { upwards ? $1.low : $1.high } ?? (upwards ? .infinity : 0)
    return (x, MedianInterval(low: min(early, late), high: max(early, late)))
  }

  /// Returns the size outside the measured points at which the growth curve passes a limit. The search goes to larger
  /// sizes if the last point does not exceed the limit, otherwise to smaller sizes. Nil if the curve does not grow, or
  /// if no such size is found.
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
  /// Returns the value at an x outside all points, on the straight line through the two nearest points on log-log axes.
  func straight(to x: Double) -> Double {
    guard let first = knots.first, let last = knots.last, knots.count > 1 else { return value(at: x) }
    let (end, next) = x > last.x ? (last, knots[knots.count - 2]) : (first, knots[1])
    return end.y * exp(log(end.y / next.y) / log(end.x / next.x) * log(x / end.x))
  }
}
