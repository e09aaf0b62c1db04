import Foundation
import StorageContract
import StorageStatistics

/// A growth fit in words and figures.
enum GrowthPhrases {
  /// `grows with the store, slope 0.98`; nil where there is nothing to fit.
  static func slope(_ fit: GrowthFit?) -> String? {
    guard let fit, let slope = fit.slope else { return nil }
    return "\(verb(slope)), slope \(number(slope))"
  }

  /// `grows with the store, slope 0.98 (0.97 to 0.99)`: with the interval where there is one.
  static func slopeWithInterval(_ fit: GrowthFit?) -> String? {
    guard let fit, let words = slope(fit) else { return nil }
    return words + (fit.slopeInterval.map { " (\(number($0.low)) to \(number($0.high)))" } ?? "")
  }

  /// `grows with the store, slope of the bytes 1.01, of the time 0.97 (0.96-0.99)`; nil where the two differ in kind,
  /// or one is missing.
  static func slopes(bytes: GrowthFit?, time: GrowthFit?) -> String? {
    guard let one = bytes?.slope, let other = time?.slope, verb(one) == verb(other) else { return nil }
    let interval = time?.slopeInterval.map { " (\(number($0.low)) to \(number($0.high)))" } ?? ""
    return "\(verb(one)), slope of the bytes \(number(one)), of the time \(number(other))\(interval)"
  }

  /// `440 us + 5.2 us x N^1.04`, the law as a formula; nil where there is nothing to fit. Where the factor would round
  /// to nothing, N is counted in thousands: `440 us + 0.31 us x (N/1,000)^2.10`.
  ///
  /// - Parameter unit: Writes a value with its unit.
  static func law(_ fit: GrowthFit?, _ unit: (Double) -> String) -> String? {
    guard let fit, fit.slope != nil else { return nil }
    let law = fit.law
    let power =
      law.coefficient >= 0.01
      ? "\(unit(law.coefficient)) x N^\(number(law.exponent))"
      : "\(unit(law.coefficient * pow(1_000, law.exponent))) x (N/1,000)^\(number(law.exponent))"
    return law.constant > 0 ? "\(unit(law.constant)) + \(power)" : power
  }

  /// `3 %`, or that the law goes through its points, having as many parameters.
  static func residual(_ fit: GrowthFit) -> String {
    guard let residual = fit.residual else { return "none: \(fit.curve.knots.count) sizes fix it" }
    return NumberFormat.percent(residual)
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
  static func number(_ slope: Double) -> String { NumberFormat.fixed(abs(slope) < 0.005 ? 0 : slope, 2) }
}
