/// The origin of each value in a sample: a round (repetition) of one run, or a separate run.
public enum SampleUnit: Sendable, Equatable {
  /// The origin of a sample whose values come from the rounds (repetitions) of one run.
  case round
  /// The origin of a sample whose values come from separate runs.
  case run
}

extension MedianInterval {
  /// The minimum number of runs from which the value of a further run can be predicted.
  public static let fewestRuns = 2
  /// The expected share of further runs whose value is outside the predicted interval: 0.05 is 5 %.
  public static let missedRuns = 0.05

  /// Creates the 95 % prediction interval of a further run, by Student's t of the logarithms: mean ± t(0.975; n - 1) s
  /// √(1 + 1/n) (Hahn and Meeker, "Statistical Intervals", 1991, section 4.8).
  ///
  /// - Parameter values: A positive value of each run, in any order.
  /// - Returns: Nil for fewer than ``fewestRuns`` values, and if a value is not positive.
  public init?(ofFurtherRun values: [Double]) {
    guard values.count >= Self.fewestRuns, let spread = Spread.ofLogarithms(values) else { return nil }
    let count = Double(values.count)
    let mean = values.reduce(0) { $0 + log($1) } / count
    let half = StudentT.upper(degrees: values.count - 1) * spread * (1 + 1 / count).squareRoot()
    (low, high) = (exp(mean - half), exp(mean + half))
  }

  /// Creates the confidence interval of the median for a sample of rounds, or the prediction interval of a further run
  /// for a sample of runs.
  ///
  /// - Returns: Nil for too few values, or if the value of a run is not positive.
  public init?(of sorted: [Double], unit: SampleUnit) {
    switch unit {
    case .round: self.init(of: sorted)
    case .run: self.init(ofFurtherRun: sorted)
    }
  }

  /// Returns the probability that an interval from `count` values does not contain the true value: 0.03125 for six
  /// rounds. Nil for too few values.
  public static func errorRate(count: Int, unit: SampleUnit) -> Double? {
    guard unit == .round else { return count >= fewestRuns ? missedRuns : nil }
    return tail(count: count).map { 2 * $0.probability }
  }
}

extension Spread {
  /// Returns the standard deviation of the logarithms of the values: 0.03 is about 3 %.
  ///
  /// - Returns: Nil for fewer than two values, and if a value is not positive.
  public static func ofLogarithms(_ values: [Double]) -> Double? {
    guard values.count > 1, values.allSatisfy({ $0 > 0 }) else { return nil }
    let logs = values.map { log($0) }
    let mean = logs.reduce(0, +) / Double(logs.count)
    return (logs.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(logs.count - 1)).squareRoot()
  }
}

/// Student's t distribution, for prediction intervals.
public enum StudentT {
  /// The 97.5 % quantiles of Student's t, from one degree of freedom on (NIST/SEMATECH e-Handbook, table 1.3.6.7.2).
  private static let table = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
  ]

  /// Returns the value of Student's t that is exceeded with a probability of 2.5 %.
  ///
  /// - Parameter degrees: The degrees of freedom, at least 1. Above 30, the result is approximated to three digits.
  public static func upper(degrees: Int) -> Double {
    if degrees <= table.count { return table[max(1, degrees) - 1] }
    let (z, n) = (1.95996, Double(degrees))
    return z + (z * z * z + z) / (4 * n) + (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / (96 * n * n)
  }
}
