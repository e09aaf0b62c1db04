/// A growth model of a cost y with a size x: y = constant + coefficient * x^exponent. The constant is a fixed cost,
/// such as a sync.
public struct GrowthModel: Sendable, Equatable {
  /// The part of the cost that does not depend on the size; 0 or more.
  public var constant: Double
  /// The factor of the term x^exponent in the growth model.
  public var coefficient: Double
  /// The exponent of the size in the growth model; 1 if the growing part is proportional to the size.
  public var exponent: Double

  /// Creates the growth model y = constant + coefficient * x^exponent.
  public init(constant: Double, coefficient: Double, exponent: Double) {
    self.constant = constant
    self.coefficient = coefficient
    self.exponent = exponent
  }

  /// Returns the cost that the growth model predicts for a size above 0.
  public func predict(_ x: Double) -> Double { constant + coefficient * pow(x, exponent) }

  /// Returns the sum of the squared distances of points from the model on a logarithmic scale.
  func squaredError(_ points: [(x: Double, y: Double)]) -> Double {
    points.reduce(0) { sum, point in
      let distance = log(point.y / predict(point.x))
      return sum + distance * distance
    }
  }

  /// Fits the growth model y = coefficient * x^exponent, by least squares on logarithmic scales.
  ///
  /// - Parameter points: The points. Those with a coordinate that is not positive are ignored.
  /// - Returns: Nil for fewer than two different x.
  public init?(power points: [(x: Double, y: Double)]) {
    let points = points.filter { $0.x > 0 && $0.y > 0 }
    let line = Line(points.map { log($0.x) }, points.map { log($0.y) })
    guard line.xx > 1e-12 else { return nil }
    self.init(constant: 0, coefficient: exp(line.intercept), exponent: line.slope)
  }

  /// The allowed exponents in a growth model with a constant. Below 0.1, the growing term resembles the constant.
  static let exponents = 0.1...3.0

  /// Fits the growth model y = constant + coefficient * x^exponent, by least squares of the relative errors.
  ///
  /// - Parameter points: The points. Those with a coordinate that is not positive are ignored.
  /// - Returns: Nil for fewer than three different x.
  public init?(withConstant points: [(x: Double, y: Double)]) {
    // For a given exponent, constant and coefficient have an exact solution. The exponent is searched on a grid, then
    // by golden-section search.
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

  /// Finds the minimum of a function in a range, by golden-section search. The function must first fall and then rise.
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

/// A fit of the constant and the coefficient of a growth model by least squares, for a given exponent.
private struct LinearRest {
  private let ys: [Double]
  /// The natural logarithms of the points' relative sizes: size / largest size.
  private let logs: [Double]
  private let scale: Double
  private let inverses: [Double]
  private let uu: Double
  private let u: Double

  init(_ points: [(x: Double, y: Double)]) {
    let scale = points.map { log($0.x) }.max() ?? 0
    self.scale = scale
    logs = points.map { log($0.x) - scale }
    ys = points.map(\.y)
    inverses = ys.map { 1 / $0 }
    uu = inverses.reduce(0) { $0 + $1 * $1 }
    u = inverses.reduce(0, +)
  }

  func best(_ exponent: Double) -> (constant: Double, coefficient: Double, error: Double) {
    // Each point is divided by its y: 1 = constant * u + coefficient * v.
    var (uv, vv, v) = (0.0, 0.0, 0.0)
    for index in ys.indices {
      let b = exp(exponent * logs[index]) / ys[index]
      uv += inverses[index] * b
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
