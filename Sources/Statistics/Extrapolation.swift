/// What a fit says of a place: measured there, between two places, or beyond all of them.
public struct GrowthReading: Sendable, Equatable {
  /// The value.
  public let value: Double
  /// The same by each round's own curve.
  public let rounds: [Int: Double]
  /// The factor, at most 1, by which the value may be smaller than the curve says because nobody has been there.
  public let low: Double
  /// The factor, at least 1, by which it may be larger.
  public let high: Double

  /// Creates a reading.
  public init(value: Double, rounds: [Int: Double], low: Double, high: Double) {
    (self.value, self.rounds, self.low, self.high) = (value, rounds, low, high)
  }

  /// The interval of the value: how far rounds disagree, and how far the curve may bend. Nil where there is neither.
  public var interval: MedianInterval? {
    let noise = MedianInterval(of: rounds.values.sorted())
    guard noise != nil || low < high else { return nil }
    return MedianInterval(low: (noise?.low ?? value) * low, high: (noise?.high ?? value) * high)
  }
}

extension GrowthFit {
  /// How far beyond the places that were measured anything is said.
  public static let reach = 10.0
  /// Where the interval is wider than this factor, nothing is said at all.
  public static let widest = 4.0
  /// By how much the exponent of what was not measured may differ from all that the points show. Beyond the last point
  /// caches end, and memory is had in larger steps; before the first a constant may come to light that the sizes hid.
  static let slack = (beyond: 0.1, before: 0.3)

  /// Whether it was shown to grow: ten times x costs more than 1.4 times as much, and the rounds agree that it grows.
  public var isGrowing: Bool { (slope ?? 0) > 0.15 && (slopeInterval?.low ?? 1) > 0 }

  /// Reads a place.
  ///
  /// Beyond the points the value goes on as it did between the last two of them, or along the law where that has a
  /// constant. How far that may be off is seen by leaving the last point out: whatever the slope changed by in the last
  /// step it may change by again.
  ///
  /// - Returns: nil beyond the points where they are fewer than three, since two do not show whether a curve is straight;
  ///   further out than ``reach``; and where the interval would be wider than ``widest``.
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
    // The bend goes on: the slope changes with every step as it did with the last.
    let bend = missed / ((steps.near + steps.far) / 2) * (steps.near * way + way * way) / 2
    let byLaw = log(curve.value(at: x))
    let value = hasConstant ? byLaw : straight
    var paths = [byLaw, straight, straight + bend, straight + missed * way]
    // A step that has ended leaves a slope between the last two. With a constant there is no step: the slope grows.
    if !hasConstant { paths.append(straight - abs(missed) * way * 0.5) }
    let low = exp((paths.min() ?? value) - value - slack)
    let high = exp((paths.max() ?? value) - value + slack)
    let reading = GrowthReading(
      value: exp(value), rounds: rounds.mapValues { hasConstant ? $0.value(at: x) : $0.straight(to: x) }, low: low,
      high: high)
    guard let interval = reading.interval, interval.high <= interval.low * Self.widest else { return nil }
    return reading
  }

  /// Where a quantity would pass 0 outside of the points, with its interval; nil where it does not within ``reach``, or
  /// where nothing can be said so far out.
  ///
  /// - Parameters:
  ///   - upwards: Whether to look beyond the last point, or before the first.
  ///   - quantity: What is asked, with its interval, above 0 on the far side; nil where nothing can be said.
  public func place(
    upwards: Bool, where quantity: (Double) -> (value: Double, interval: MedianInterval)?
  ) -> (x: Double, interval: MedianInterval)? {
    guard let end = upwards ? curve.knots.last?.x : curve.knots.first?.x else { return nil }
    let sign = upwards ? 1.0 : -1.0
    // Small steps outwards: what is asked need not pass 0 only once.
    let steps = 200
    let places = (1...steps).map { end * exp(sign * log(Self.reach) * Double($0) / Double(steps)) }
    func passing(_ part: (_ value: Double, _ interval: MedianInterval) -> Double) -> Double? {
      for x in places {
        guard let found = quantity(x) else { return nil }
        if sign * part(found.value, found.interval) > 0 { return x }
      }
      return nil
    }
    guard let x = passing({ value, _ in value }) else { return nil }
    // Upwards the high end passes first, downwards the low one falls below first.
    let early = passing { upwards ? $1.high : $1.low } ?? x
    let late = passing { upwards ? $1.low : $1.high } ?? (upwards ? .infinity : 0)
    return (x, MedianInterval(low: min(early, late), high: max(early, late)))
  }

  /// Where the curve would pass a limit outside of the points: beyond the last where that lies under the limit, else
  /// before the first.
  public func extrapolated(to limit: Double) -> (x: Double, interval: MedianInterval)? {
    guard isGrowing, let last = curve.knots.last else { return nil }
    return place(upwards: last.y <= limit) { x in
      guard let reading = reading(at: x), let interval = reading.interval else { return nil }
      return (
        log(reading.value / limit), MedianInterval(low: log(interval.low / limit), high: log(interval.high / limit))
      )
    }
  }
}

extension GrowthCurve {
  /// The value beyond an end, by the straight line through the last two points on log-log axes.
  func straight(to x: Double) -> Double {
    guard let first = knots.first, let last = knots.last, knots.count > 1 else { return value(at: x) }
    let (end, next) = x > last.x ? (last, knots[knots.count - 2]) : (first, knots[1])
    return end.y * exp(log(end.y / next.y) / log(end.x / next.x) * log(x / end.x))
  }
}
