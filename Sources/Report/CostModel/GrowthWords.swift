import Contract
import Statistics

/// How a growth fit is told in words and figures.
enum GrowthWords {
  /// `grows with the store, slope 0.98`; nil where there is nothing to fit.
  static func slope(_ fit: GrowthFit?) -> String? {
    guard let fit, let slope = fit.slope else { return nil }
    return "\(verb(slope)), slope \(number(slope))"
  }

  /// `grows with the store, slope 0.98 (0.97-0.99)`: with the interval where there is one.
  static func slopeWithInterval(_ fit: GrowthFit?) -> String? {
    guard let fit, let words = slope(fit) else { return nil }
    return words + (fit.slopeInterval.map { " (\(number($0.low))-\(number($0.high)))" } ?? "")
  }

  /// `440 us + 5.2 us x N^1.04`, the law as a formula; nil where there is nothing to fit.
  ///
  /// - Parameter unit: Writes a value with its unit.
  static func law(_ fit: GrowthFit?, _ unit: (Double) -> String) -> String? {
    guard let fit, fit.slope != nil else { return nil }
    let law = fit.law
    let power = "\(unit(law.coefficient)) x N^\(number(law.exponent))"
    return law.constant > 0 ? "\(unit(law.constant)) + \(power)" : power
  }

  /// `3 %`, or that the law goes through its points, having as many parameters.
  static func residual(_ fit: GrowthFit) -> String {
    guard let residual = fit.residual else { return "none: \(fit.curve.knots.count) sizes fix it" }
    return Figures.percent(residual)
  }

  /// What a slope says.
  static func verb(_ slope: Double) -> String {
    switch slope {
    case ..<(-flat): "shrinks"
    case ..<flat: "stays flat"
    case ..<0.8: "grows, but less than the store"
    case ..<1.2: "grows with the store"
    default: "grows faster than the store"
    }
  }

  /// Slopes below this are called flat: ten times the records cost 1.4 times as much.
  static let flat = 0.15

  /// A slope with two decimals, without a sign before zero.
  static func number(_ slope: Double) -> String { Figures.fixed(abs(slope) < 0.005 ? 0 : slope, 2) }
}
