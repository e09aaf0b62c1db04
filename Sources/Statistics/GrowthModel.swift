/// How y grows with x: y = constant + coefficient * x^exponent.
///
/// The constant is what an operation costs however little there is, such as a sync; the power is what it costs for
/// the rest. Without the constant it is the law of ``PowerFit``.
public struct GrowthModel: Sendable, Equatable {
  /// What is paid at any x; 0 or more.
  public var constant: Double
  /// The factor before the power.
  public var coefficient: Double
  /// The power of x; 1 where the growing part is proportional to x.
  public var exponent: Double

  /// Creates a law.
  public init(constant: Double, coefficient: Double, exponent: Double) {
    self.constant = constant
    self.coefficient = coefficient
    self.exponent = exponent
  }

  /// What the law says for an x above 0.
  public func predict(_ x: Double) -> Double { constant + coefficient * pow(x, exponent) }

  /// Fits a law without a constant, by least squares on log-log axes.
  ///
  /// - Returns: nil unless at least two points with positive coordinates differ in x.
  public init?(power points: [(x: Double, y: Double)]) {
    guard let fit = PowerFit(points) else { return nil }
    self.init(constant: 0, coefficient: exp(fit.intercept), exponent: fit.slope)
  }

  /// The exponents that are tried for a law with a constant. Below the first, a power can hardly be told from a
  /// constant; nothing that a store does grows faster than the last.
  static let exponents = 0.1...3.0

  /// Fits a law with a constant, by least squares of the relative errors.
  ///
  /// For a given exponent the law is linear in the two others, which then have one best solution; the exponent is
  /// looked for on a grid and refined by the golden section. No starting values and no chance are involved.
  ///
  /// - Returns: nil unless at least three points with positive coordinates differ in x.
  public init?(withConstant points: [(x: Double, y: Double)]) {
    let points = points.filter { $0.x > 0 && $0.y > 0 }
    guard Set(points.map(\.x)).count >= 3 else { return nil }
    let rest = LinearRest(points)
    let error = { (exponent: Double) in rest.best(exponent).error }
    let steps = 29
    let width = (Self.exponents.upperBound - Self.exponents.lowerBound) / Double(steps)
    let grid = (0...steps).map { Self.exponents.lowerBound + width * Double($0) }
    let errors = grid.map(error)
    guard let best = errors.indices.min(by: { errors[$0] < errors[$1] }) else { return nil }
    exponent = Self.minimum(of: error, in: grid[max(0, best - 1)]...grid[min(steps, best + 1)])
    (constant, coefficient, _) = rest.best(exponent)
  }

  /// The place of the least value of a function that has one valley within a range.
  private static func minimum(of function: (Double) -> Double, in range: ClosedRange<Double>) -> Double {
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (range.lowerBound, range.upperBound)
    var (left, right) = (high - ratio * (high - low), low + ratio * (high - low))
    var (atLeft, atRight) = (function(left), function(right))
    while high - low > 1e-7 {
      if atLeft < atRight {
        (high, right, atRight) = (right, left, atLeft)
        left = high - ratio * (high - low)
        atLeft = function(left)
      } else {
        (low, left, atLeft) = (left, right, atRight)
        right = low + ratio * (high - low)
        atRight = function(right)
      }
    }
    return (low + high) / 2
  }
}

/// What is left to find of a law with a constant where its exponent is given. Dozens of exponents are tried for each law,
/// and a thousand laws for each break: what does not depend on the exponent is worked out once.
private struct LinearRest {
  private let ys: [Double]
  /// The logarithms of x over the largest, which keeps the sums well scaled whatever the exponent.
  private let logs: [Double]
  private let scale: Double
  private let inverses: [Double]
  private let uu: Double
  private let u: Double

  init(_ points: [(x: Double, y: Double)]) {
    let logs = points.map { log($0.x) }
    let scale = logs.max() ?? 0
    self.scale = scale
    self.logs = logs.map { $0 - scale }
    ys = points.map(\.y)
    inverses = ys.map { 1 / $0 }
    uu = inverses.reduce(0) { $0 + $1 * $1 }
    u = inverses.reduce(0, +)
  }

  /// The best constant and coefficient, neither below 0, for a given exponent, and the sum of the squared relative
  /// errors that is left.
  func best(_ exponent: Double) -> (constant: Double, coefficient: Double, error: Double) {
    // Each point divided by its y: 1 = constant * u + coefficient * v.
    var (uv, vv, v) = (0.0, 0.0, 0.0)
    for place in ys.indices {
      let b = exp(exponent * logs[place]) / ys[place]
      uv += inverses[place] * b
      vv += b * b
      v += b
    }
    let determinant = uu * vv - uv * uv
    var constant = determinant > 1e-14 * uu * vv ? (u * vv - v * uv) / determinant : 0
    var coefficient = determinant > 1e-14 * uu * vv ? (v * uu - u * uv) / determinant : v / vv
    if constant < 0 { (constant, coefficient) = (0, v / vv) }
    if coefficient < 0 { (constant, coefficient) = (u / uu, 0) }
    let error =
      Double(ys.count) - 2 * (constant * u + coefficient * v) + constant * constant * uu
      + 2 * constant * coefficient * uv + coefficient * coefficient * vv
    return (constant, coefficient * exp(-exponent * scale), max(0, error))
  }
}
