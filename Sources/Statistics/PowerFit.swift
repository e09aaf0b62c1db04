/// A power law y = a * x^slope through points, fitted by least squares on log-log axes.
///
/// A slope of 1 means that y is proportional to x, a slope of 0 that it does not depend on x.
public struct PowerFit: Sendable, Equatable {
  /// The exponent of x in the power law y = a * x^slope, where y is a measured value, such as a time, and x is a size,
  /// such as a number of records.
  public var slope: Double
  /// The natural logarithm of the factor a in the power law y = a * x^slope, where y is a measured value and x is a
  /// size.
  public var intercept: Double
  /// The coefficient of determination: the share of the variation of ln(y) that the power law explains; 1 if ln(y) does
  /// not vary.
  public var rSquared: Double

  /// Fits a power law to points.
  ///
  /// - Returns: Nil for fewer than two points with positive coordinates and different x.
  public init?(_ points: [(x: Double, y: Double)]) {
    let logs = points.filter { $0.x > 0 && $0.y > 0 }.map { (x: log($0.x), y: log($0.y)) }
    guard logs.count >= 2 else { return nil }
    let count = Double(logs.count)
    let meanX = logs.reduce(0) { $0 + $1.x } / count
    let meanY = logs.reduce(0) { $0 + $1.y } / count
    // Centred sums keep digits that the textbook's difference of large sums loses if the points are close together.
    let xx = logs.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    let xy = logs.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
    let yy = logs.reduce(0) { $0 + ($1.y - meanY) * ($1.y - meanY) }
    guard xx > 1e-12 else { return nil }
    slope = xy / xx
    intercept = meanY - slope * meanX
    rSquared = yy > 1e-12 ? xy * xy / (xx * yy) : 1
  }

  /// Returns the value that the power law predicts for an x above 0.
  public func predict(_ x: Double) -> Double { exp(intercept + slope * log(x)) }
}
